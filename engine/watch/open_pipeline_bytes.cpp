// The exact bytes of the open pipeline.
#include <algorithm>

#include "engine/watch/open_pipeline.h"

namespace pipetop {

void OpenPipeline::count_bytes(bool on) {
  if (on == counts_bytes()) return;
  instruments_->wait();
  // A clock that has just come watches nothing yet, and what moves until the next look counts, too.
  if (on && !processes().empty()) {
    const PipeScan scan = parts_.scanner->scan(processes());
    sample_times(scan, scan.at_ns);
  }
  instruments_->count_bytes(on);
  counted_wholly_.clear();
  if (on) {
    counts_.emplace();
    for (const auto& entry : pipes_)
      if (KnownPipe* known = table_.known(entry.first)) known->history.count(parts_.now_ns(), 0);
    return;
  }
  counts_.reset();
  for (auto& [id, pipe] : pipes_) {
    // What is closed keeps what it had, also when it is counted again.
    if (const auto seen = seen_.find(id); seen != seen_.end() && pipe.total_bytes)
      seen->second.uncounted = *pipe.total_bytes;
    if (KnownPipe* known = table_.known(id)) known->history.stop_counting();
    for (auto* ends : {&pipe.writers, &pipe.readers})
      for (StageEnd& end : *ends) end.bytes.reset();
  }
}

void OpenPipeline::take_bytes() {
  const std::vector<observe::EndBytes> moved = instruments_->clock().take_bytes();
  counts_->add(moved);
  for (const observe::EndBytes& end : moved)
    (table_.known(end.pipe) ? table_.moving() : unplaced_).insert({end.pipe, end.process});
}

// With `-- COMMAND`, a pipe that is newer than it is counted from the first byte on.
void OpenPipeline::begin_to_count(uint64_t now_ns, PipeId id, PipeHistory& history) {
  if (history.exact()) return;
  const auto since_ns = instruments_->counts_children_since_ns();
  const bool all = members_.tree() && since_ns && history.made_after_ns() >= since_ns;
  if (all) counted_wholly_.insert(id);
  history.count(now_ns, counts_->of(id), all);
}

void OpenPipeline::note_bytes(const Pipe& pipe, uint64_t at_ns) {
  if (!pipe.total_bytes) return;
  Seen& seen = seen_.try_emplace(pipe.id, Seen{at_ns, 0, *pipe.total_bytes}).first->second;
  seen.until_ns = at_ns;
  if (!counts_) return;
  const uint64_t counted = counts_->of(pipe.id);
  seen.uncounted = *pipe.total_bytes - std::min(*pipe.total_bytes, counted);
}

}  // namespace pipetop

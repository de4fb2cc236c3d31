#include "engine/watch/window_bytes.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

// Rows are shared with other snapshots until they are changed.
template <class Visit>
void for_each_pipe(Snapshot& snapshot, Visit visit) {
  if (snapshot.watched)
    for (Pipe& pipe : snapshot.watched->pipes) visit(pipe);
  else
    for (PipeRow& row : snapshot.table.rows.own()) visit(row.pipe);
}

}  // namespace

void WindowBytes::begin(const Snapshot& now) {
  begin_ns_ = now.now_ns;
  before_.clear();
  const auto note = [this](const Pipe& pipe) {
    if (pipe.total_bytes) before_[pipe.id] = *pipe.total_bytes;
  };
  if (now.watched)
    for (const Pipe& pipe : now.watched->pipes) note(pipe);
  else
    for (const PipeRow& row : now.table.rows) note(row.pipe);
}

void WindowBytes::set(Pipe& pipe, uint64_t now_ns, bool totals) const {
  const auto before = before_.find(pipe.id);
  const bool was_known = before != before_.end();
  if (!pipe.total_bytes || now_ns <= begin_ns_) return;
  if (!totals && !was_known && pipe.first_seen_ns < begin_ns_) return;
  const uint64_t had = was_known ? std::min(before->second, *pipe.total_bytes) : 0;
  const uint64_t bytes = *pipe.total_bytes - had;
  pipe.bytes_per_s =
      Reading<double>::of(double(bytes) * double(kSecond) / double(now_ns - begin_ns_));
  if (totals) pipe.total_bytes = bytes;
}

void WindowBytes::apply(Snapshot& now, bool totals) const {
  for_each_pipe(now, [&](Pipe& pipe) { set(pipe, now.now_ns, totals); });
}

}  // namespace pipetop

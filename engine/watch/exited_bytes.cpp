#include "engine/watch/exited_bytes.h"

#include <algorithm>
#include <numeric>

namespace pipetop {
namespace {

uint64_t gained(uint64_t now, uint64_t before) { return now - std::min(now, before); }

// Programs that begin read their libraries.
constexpr uint64_t kOther = 128 << 10;
constexpr uint64_t kLeastToTell = 64 << 10;

bool agree(uint64_t a, uint64_t b, uint64_t slack) {
  return std::max(a, b) - std::min(a, b) <= std::max(a, b) / 16 + slack;
}

uint64_t sum_of(const std::vector<PipeMover>& movers) {
  return std::accumulate(movers.begin(), movers.end(), uint64_t{0},
                         [](uint64_t sum, const PipeMover& mover) { return sum + mover.bytes; });
}

// What splice moves counts for neither side that uses it, and a side may move more than what goes
// through the pipe.
uint64_t through(uint64_t put, uint64_t taken) {
  return put > 0 && taken > 0 ? std::min(put, taken) : std::max(put, taken);
}

// Empty if one of them isn't there any more.
std::vector<PipeMover> movers_at(const std::vector<StageEnd>& ends,
                                 const std::vector<Stage>& stages, const ScanIndex& index,
                                 uint64_t ScannedTask::*bytes) {
  std::vector<PipeMover> movers;
  for (const size_t i : active_stages(ends)) {
    const auto threads = index.threads(stages[i].id);
    if (threads.empty()) return {};
    PipeMover& mover = movers.emplace_back(PipeMover{stages[i].id});
    for (const ScannedTask& thread : threads) mover.bytes += thread.*bytes;
  }
  return movers;
}

// What has gone through a new pipe so far isn't known: all that its sides move in their lives is.
void begin_at_zero(PipeSides& sides) {
  for (auto* movers : {&sides.writers, &sides.readers})
    for (PipeMover& mover : *movers) mover.bytes = 0;
  sides.queued = 0;
}

}  // namespace

std::vector<std::optional<PipeSides>> sides_of(const Pipeline& pipeline, const ScanIndex& index) {
  std::vector<std::optional<PipeSides>> all(pipeline.pipes.size());
  std::map<ProcessId, size_t> writes_to, reads_from;  // how many pipes
  for (size_t i = 0; i < all.size(); ++i) {
    const Pipe& pipe = pipeline.pipes[i];
    for (const size_t k : active_stages(pipe.writers)) ++writes_to[pipeline.stages[k].id];
    for (const size_t k : active_stages(pipe.readers)) ++reads_from[pipeline.stages[k].id];
    if (pipe.closed || !pipe.ring || (!pipe.total_bytes && pipe.older)) continue;
    PipeSides sides{movers_at(pipe.writers, pipeline.stages, index, &ScannedTask::written_bytes),
                    movers_at(pipe.readers, pipeline.stages, index, &ScannedTask::read_bytes),
                    pipe.queued.value_or(0), pipe.total_bytes.value_or(0)};
    if (!pipe.total_bytes) begin_at_zero(sides);
    if (!sides.writers.empty() && !sides.readers.empty()) all[i] = std::move(sides);
  }
  const auto is_divided = [](const std::vector<PipeMover>& movers,
                             const std::map<ProcessId, size_t>& pipes) {
    return std::ranges::any_of(movers, [&](const PipeMover& m) { return pipes.at(m.process) > 1; });
  };
  for (auto& sides : all)
    if (sides && (is_divided(sides->writers, writes_to) || is_divided(sides->readers, reads_from)))
      sides.reset();
  return all;
}

void ExitedBytes::see(const PipeScan& scan) {
  newest_ = scan.exited;
  for (const ExitedProcess& exited : newest_) exited_[exited.process] = exited;
}

void ExitedBytes::keep(const std::set<ProcessId>& processes) {
  std::erase_if(exited_, [&](const auto& entry) {
    return !processes.contains(entry.first) &&
           !std::ranges::binary_search(newest_, entry.first, {}, &ExitedProcess::process);
  });
}

void PipeLooks::add(const PipeSides& look, bool from_beginning) {
  const auto same = [](const std::vector<PipeMover>& a, const std::vector<PipeMover>& b) {
    return std::ranges::equal(a, b, {}, &PipeMover::process, &PipeMover::process);
  };
  const bool goes_on = same(last.writers, look.writers) && same(last.readers, look.readers);
  if (!goes_on) first = from_beginning && last.writers.empty() ? PipeSides() : look;
  last = look;
}

std::optional<ExitedBytes::End> ExitedBytes::end_of(const PipeLooks& looks) const {
  const auto& [first, last] = looks;
  End end;
  const auto since = [&](const std::vector<PipeMover>& movers,
                         uint64_t ExitedProcess::*bytes) -> std::optional<uint64_t> {
    uint64_t sum = 0;
    for (const PipeMover& mover : movers) {
      const auto exited = exited_.find(mover.process);
      if (exited == exited_.end()) return {};
      sum += gained(exited->second.*bytes, mover.bytes);
      end.at_ns = std::max(end.at_ns, exited->second.at_ns);
    }
    return sum;
  };
  const auto put = since(last.writers, &ExitedProcess::written_bytes);
  const auto read = since(last.readers, &ExitedProcess::read_bytes);
  const uint64_t taken = gained(read.value_or(0), last.queued);
  const uint64_t before = last.total - first.total;
  const auto tells = [&](const std::vector<PipeMover>& then, const std::vector<PipeMover>& now,
                         uint64_t slack) {
    return before >= kLeastToTell && agree(sum_of(now) - sum_of(then), before, slack);
  };
  // Of a side that tells, all that it has moved since the first look: the total at the last one is
  // an estimate. But what programs read when they begin has to be little beside it.
  std::optional<uint64_t> by_put, by_read;
  if (put && tells(first.writers, last.writers, 0))
    by_put = first.total + sum_of(last.writers) - sum_of(first.writers) + *put;
  if (read && tells(first.readers, last.readers, kOther + before / 16))
    by_read = before < 16 * kOther ? last.total + taken
                                   : first.total + sum_of(last.readers) - sum_of(first.readers) +
                                         *read - first.queued;
  // A side that has told may begin to splice.
  if (by_put && by_read)
    end.bytes = *by_read > *by_put + kOther ? *by_read : *by_put;
  else if (by_put || by_read)
    end.bytes = by_put ? *by_put : *by_read;
  else if (put && read && agree(*put, taken, kOther))
    end.bytes = last.total + through(*put, taken);
  else
    return {};
  return end;
}

ExitedBytes::Unseen ExitedBytes::unseen(const std::function<bool(PipeId)>& was_seen) const {
  struct Through {
    std::optional<uint64_t> put = {}, taken = {};
  };
  std::map<PipeId, Through> pipes;
  const auto add = [](std::optional<uint64_t>& to, uint64_t bytes) { to = to.value_or(0) + bytes; };
  for (const ExitedProcess& exited : newest_) {
    if (exited.out)
      add(pipes[*exited.out].put, gained(exited.written_bytes, exited.written_before));
    if (exited.in) add(pipes[*exited.in].taken, gained(exited.read_bytes, exited.read_before));
  }
  Unseen all;
  for (const auto& [id, bytes] : pipes) {
    if (was_seen(id)) continue;
    ++all.pipes;
    if (bytes.put && bytes.taken) all.least += through(*bytes.put, *bytes.taken);
    all.most += std::max(bytes.put.value_or(0), bytes.taken.value_or(0));
  }
  return all;
}

}  // namespace pipetop

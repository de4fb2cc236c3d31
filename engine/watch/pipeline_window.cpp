#include "engine/watch/pipeline_window.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace pipetop {

using observe::RingTally;
using observe::ThreadId;
using observe::ThreadTimes;

namespace {

constexpr uint64_t kMarks = 10;            // that a window is made of
constexpr uint64_t kLeast_ns = 200 * kMs;  // that shares can be told of
constexpr double kLeastInPipes = 0.05;     // of its time, of a thread that moves data

uint64_t minus(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

uint64_t in_pipes_ns(const ThreadTimes& times) {
  return times.wait_ns[static_cast<size_t>(WaitsFor::pipe_read)] +
         times.wait_ns[static_cast<size_t>(WaitsFor::pipe_write)];
}

uint64_t busy_ns(const ThreadTimes& times) { return times.on_cpu_ns + times.runnable_ns; }

// The thread that moves the data: the one that waits longest for pipes, or the busiest.
const ThreadTimes& mover(const std::vector<ThreadTimes>& threads) {
  const ThreadTimes& waits = *std::ranges::max_element(threads, {}, in_pipes_ns);
  if (double(in_pipes_ns(waits)) >= kLeastInPipes * double(waits.wall_ns)) return waits;
  return *std::ranges::max_element(threads, {}, busy_ns);
}

StageShares shares_of(const ThreadTimes& thread) {
  const double wall = double(std::max<uint64_t>(thread.wall_ns, 1));
  StageShares shares;
  shares.on_cpu = double(thread.on_cpu_ns) / wall;
  shares.runnable = double(thread.runnable_ns) / wall;
  for (size_t i = 0; i < shares.elsewhere.size(); ++i) {
    const double share = double(thread.wait_ns[i]) / wall;
    switch (static_cast<WaitsFor>(i)) {
      case WaitsFor::none:
        break;
      case WaitsFor::pipe_read:
        shares.reading = share;
        break;
      case WaitsFor::pipe_write:
        shares.writing = share;
        break;
      default:
        shares.elsewhere[i] = share;
    }
  }
  return shares;
}

}  // namespace

void PipelineWindow::add(uint64_t now_ns, const std::vector<ThreadTimes>& times,
                         const std::vector<RingTally>& samples) {
  now_ns_ = now_ns;
  for (const ThreadTimes& thread : times)
    latest_.threads[{thread.process, thread.tid}] = {thread, now_ns};
  for (const RingTally& ring : samples) latest_.rings[ring.pipe] = ring;
  const uint64_t step_ns = window_ns_ / kMarks;
  if (marks_.empty() || now_ns >= marks_.back().at_ns + step_ns) {
    marks_.push_back({now_ns, latest_});
    drop_old_marks();
  }
}

void PipelineWindow::keep(const std::set<ProcessId>& processes, const std::set<PipeId>& pipes) {
  std::erase_if(latest_.threads,
                [&](const auto& entry) { return !processes.contains(entry.first.process); });
  std::erase_if(latest_.rings, [&](const auto& entry) { return !pipes.contains(entry.first); });
}

void PipelineWindow::clear() {
  restart();
  latest_ = {};
}

void PipelineWindow::drop_old_marks() {
  if (window_ns_ == kAllTime) return;
  const uint64_t begin_ns = minus(now_ns_, window_ns_);
  while (marks_.size() > 1 && marks_[1].at_ns <= begin_ns) marks_.pop_front();
  const uint64_t oldest_ns = marks_.front().at_ns;
  std::erase_if(latest_.threads, [&](const auto& entry) { return entry.second.at_ns < oldest_ns; });
  // Those that are still looked at come back with the next add().
  const auto& oldest = marks_.front().counts.rings;
  std::erase_if(latest_.rings, [&](const auto& entry) {
    const auto before = oldest.find(entry.first);
    return before != oldest.end() && before->second.samples == entry.second.samples;
  });
}

ThreadTimes PipelineWindow::since_mark(const ThreadId& id, const ThreadTimes& now) const {
  ThreadTimes since = now;
  const auto& threads = marks_.front().counts.threads;
  const auto found = threads.find(id);
  if (found == threads.end()) return since;  // it is watched since then
  const ThreadTimes& before = found->second.times;
  since.wall_ns = minus(now.wall_ns, before.wall_ns);
  since.on_cpu_ns = minus(now.on_cpu_ns, before.on_cpu_ns);
  since.runnable_ns = minus(now.runnable_ns, before.runnable_ns);
  for (size_t i = 0; i < since.wait_ns.size(); ++i)
    since.wait_ns[i] = minus(now.wait_ns[i], before.wait_ns[i]);
  return since;
}

Reading<StageShares> PipelineWindow::shares(ProcessId process) const {
  using Shares = Reading<StageShares>;
  if (marks_.empty()) return Shares::warming("no sample yet");
  std::vector<ThreadTimes> threads;
  uint64_t cpu_ns = 0, wall_ns = 0;
  const auto first = latest_.threads.lower_bound({process, 0});
  for (auto it = first; it != latest_.threads.end() && it->first.process == process; ++it) {
    threads.push_back(since_mark(it->first, it->second.times));
    cpu_ns += threads.back().on_cpu_ns;
    wall_ns = std::max(wall_ns, threads.back().wall_ns);
  }
  if (wall_ns < kLeast_ns) return Shares::warming("window too short");
  StageShares shares = shares_of(mover(threads));
  shares.cpu = double(cpu_ns) / double(wall_ns);
  return Shares::of(shares);
}

Reading<RingLevel> PipelineWindow::ring(PipeId pipe) const {
  using Shares = Reading<RingLevel>;
  const auto found = latest_.rings.find(pipe);
  if (found == latest_.rings.end() || marks_.empty()) return Shares::warming("no sample yet");
  RingTally since = found->second;
  const auto& before = marks_.front().counts.rings;
  if (const auto mark = before.find(pipe); mark != before.end()) {
    since.samples = minus(since.samples, mark->second.samples);
    since.empty = minus(since.empty, mark->second.empty);
    since.full = minus(since.full, mark->second.full);
    since.used_share -= mark->second.used_share;
  }
  if (since.samples == 0) return Shares::warming("no sample yet");
  const auto samples = static_cast<double>(since.samples);
  return Shares::of({std::clamp(since.used_share / samples, 0.0, 1.0),
                     double(since.empty) / samples, double(since.full) / samples, since.samples});
}

}  // namespace pipetop

#include "engine/watch/stage_record.h"

#include <algorithm>

namespace pipetop {
namespace {

constexpr uint64_t kCpuMarks = 10;  // that a window is made of

}  // namespace

void StageRecord::add_sample(uint64_t now_ns, std::span<const ScannedTask> threads,
                             uint64_t window_ns) {
  std::map<pid_t, uint64_t> cpu_ns;
  for (const ScannedTask& thread : threads) cpu_ns[thread.tid] = thread.cpu_ns;
  for (const auto& [tid, used_ns] : thread_cpu_ns_)
    if (!cpu_ns.contains(tid)) ended_cpu_ns_ += used_ns;
  thread_cpu_ns_ = std::move(cpu_ns);
  uint64_t sum_ns = ended_cpu_ns_;
  for (const auto& thread : thread_cpu_ns_) sum_ns += thread.second;
  // A zombie's may be counted elsewhere by then.
  latest_ = {now_ns, std::max(sum_ns, latest_.cpu_ns)};
  view.cpu_ns = latest_.cpu_ns;
  if (!marks_.empty() && now_ns < marks_.back().at_ns + window_ns / kCpuMarks) return;
  marks_.push_back(latest_);
  while (marks_.size() > 1 && marks_[1].at_ns + window_ns <= now_ns) marks_.pop_front();
}

void StageRecord::end() {
  view.gone = true;
  view.state = {StageState::Kind::zombie, WaitsFor::none, {}};
}

Reading<double> StageRecord::cpu() const {
  if (marks_.empty() || latest_.at_ns <= marks_.front().at_ns)
    return Reading<double>::warming("looked at only once");
  return Reading<double>::of(double(latest_.cpu_ns - marks_.front().cpu_ns) /
                             double(latest_.at_ns - marks_.front().at_ns));
}

}  // namespace pipetop

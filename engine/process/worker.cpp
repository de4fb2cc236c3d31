#include "engine/process/worker.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr uint64_t kYoung = 1'000 * kMs;
constexpr uint64_t kLongestDelay = 2'000 * kMs;

}  // namespace

Worker::Worker(WorkloadKind workload, Role role, std::string program, std::vector<int> fds)
    : role_(role), program_(std::move(program)), fds_(std::move(fds)), control_(workload, role) {
  generation_ = publish_command(control_.block(), command_);
}

void Worker::start(uint64_t now_ns) {
  process_ = WorkerProcess(program_, control_.fd(), fds_);
  started_at_ns_ = now_ns;
  ++starts_;
}

void Worker::publish(const WorkerCommand& command) {
  if (command == command_) return;
  command_ = command;
  generation_ = publish_command(control_.block(), command);
  wake();
}

std::optional<WorkerReport> Worker::report() const {
  return read_report(control_.block(), generation_);
}

std::optional<ProcessEnd> Worker::reap(uint64_t now_ns) {
  const auto end = process_.poll();
  if (!end) return {};
  const bool young = now_ns - started_at_ns_ < kYoung;
  young_deaths_ = young ? young_deaths_ + 1 : 0;
  const uint64_t delay =
      young_deaths_ <= 1 ? 0 : std::min(kLongestDelay, 50 * kMs << std::min(young_deaths_, 8u));
  restart_at_ns_ = now_ns + delay;
  last_end_ = end->words();
  return end;
}

void Worker::put_off(uint64_t now_ns) { restart_at_ns_ = now_ns + kLongestDelay; }

}  // namespace pipetop

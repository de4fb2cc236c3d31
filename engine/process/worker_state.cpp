#include "engine/process/worker_state.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace pipetop {
namespace {

ProcessState state_of(WorkerState state) {
  switch (state) {
    case WorkerState::starting:
      return ProcessState::starting;
    case WorkerState::flowing:
      return ProcessState::flowing;
    case WorkerState::held:
      return ProcessState::held;
    case WorkerState::refused:
      return ProcessState::refused;
    case WorkerState::failed:
      return ProcessState::failed;
  }
  return ProcessState::failed;
}

void describe_report(const WorkerReport& report, const WorkerContext& now, WorkerView& view) {
  view.state = state_of(report.state);
  const bool refused = report.state == WorkerState::refused;
  if (!refused && report.state != WorkerState::failed) return;
  view.lacks_feature = refused && report.error_number == EOPNOTSUPP;
  view.state_reason = report.reason_text();
  if (view.state_reason.empty())
    view.state_reason = fmt::format("{}: {}", refused ? now.prepares : now.does,
                                    std::strerror(static_cast<int>(report.error_number)));
}

}  // namespace

void describe_state(const Worker& worker, const WorkerContext& now, WorkerView& view) {
  view.role = worker.role();
  view.pid = worker.pid();
  view.restarts = worker.restarts();
  view.state_reason = worker.last_end();
  if (!worker.alive()) {
    view.state = ProcessState::restarting;
  } else if (worker.stopped() && !now.suspended) {
    view.state = ProcessState::stopped;
    view.state_reason = fmt::format("by a signal; kill -CONT {}", worker.pid());
  } else if (const auto report = worker.report()) {
    describe_report(*report, now, view);
  } else {
    view.state = now.unanswered;
  }
}

void describe_state(std::span<const Worker* const> workers, const WorkerContext& now,
                    WorkerView& view) {
  view.processes = static_cast<int>(workers.size());
  if (workers.empty()) return;
  describe_state(*workers.front(), now, view);
  for (const Worker* worker : workers.subspan(1)) {
    WorkerView other;
    describe_state(*worker, now, other);
    view.restarts += other.restarts;
    if (other.state <= view.state) continue;
    view.state = other.state;
    view.state_reason = other.state_reason;
    view.lacks_feature = other.lacks_feature;
  }
}

}  // namespace pipetop

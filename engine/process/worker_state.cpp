#include "engine/process/worker_state.h"

#include <fmt/format.h>

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

void describe_report(const WorkerReport& report, WorkerView& view) {
  view.state = state_of(report.state);
  const bool refused = report.state == WorkerState::refused;
  if (!refused && report.state != WorkerState::failed) return;
  view.state_reason = fmt::format("{}: {}", refused ? "buffers" : "transfer",
                                  std::strerror(static_cast<int>(report.error_number)));
}

}  // namespace

void describe_state(const Worker& worker, const WorkerCircumstances& now, WorkerView& view) {
  view.role = worker.role();
  view.pid = worker.pid();
  view.restarts = worker.restarts();
  view.state_reason = now.last_end;
  if (!worker.alive()) {
    view.state = ProcessState::restarting;
  } else if (worker.stopped() && !now.suspended) {
    view.state = ProcessState::stopped;
    view.state_reason = fmt::format("by a signal; kill -CONT {}", worker.pid());
  } else if (const auto report = worker.report()) {
    describe_report(*report, view);
  } else {
    view.state = now.unanswered;
  }
}

}  // namespace pipetop

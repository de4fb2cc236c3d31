#include "engine/process/worker_pool.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop {
namespace {

ProcessState state_of(WorkerState state) {
  constexpr std::array kStates = {ProcessState::starting, ProcessState::flowing, ProcessState::held,
                                  ProcessState::refused, ProcessState::failed};  // by WorkerState
  const auto index = static_cast<size_t>(state);
  return index < kStates.size() ? kStates[index] : ProcessState::failed;
}

void describe_report(const WorkerReport& report, const WorkerContext& now, WorkerReadings& view) {
  view.state = state_of(report.state);
  const bool refused = report.state == WorkerState::refused;
  if (!refused && report.state != WorkerState::failed) return;
  view.lacks_feature = refused && report.error_number == EOPNOTSUPP;
  view.state_reason = report.reason_text();
  if (view.state_reason.empty())
    view.state_reason = fmt::format("{}: {}", refused ? now.prepares : now.does,
                                    std::strerror(static_cast<int>(report.error_number)));
}

void describe_state(const Worker& worker, const WorkerContext& now, WorkerReadings& view) {
  view.role = worker.role();
  view.pid = worker.pid();
  view.restarts = worker.restarts();
  view.state_reason = worker.last_end();
  if (!worker.alive()) {
    view.state = ProcessState::restarting;
  } else if (worker.stopped() && !now.suspended) {
    view.state = ProcessState::stopped;
    view.state_reason = fmt::format("by a signal; kill -CONT {}", worker.pid());
  } else if (!worker.frozen_by().empty() && !now.suspended) {
    view.state = ProcessState::stopped;
    view.state_reason = "by " + worker.frozen_by();
  } else if (const auto report = worker.report()) {
    describe_report(*report, now, view);
  } else {
    view.state = now.unanswered;
  }
}

}  // namespace

WorkerPool::WorkerPool(WorkloadKind workload, std::string program, std::vector<Cpu> allowed,
                       EventLoop& loop, std::function<void(const WorkerEvent&)> sink)
    : workload_(workload),
      program_(std::move(program)),
      allowed_(std::move(allowed)),
      loop_(loop),
      sink_(std::move(sink)) {}

Worker& WorkerPool::add(Role role, std::vector<int> fds) {
  auto worker = std::make_unique<Worker>(workload_, role, program_, std::move(fds));
  start(*worker);
  Worker& added = *workers_.emplace_back(std::move(worker));
  sink_({WorkerEvent::Kind::added, added, {}});
  return added;
}

void WorkerPool::remove(Worker& worker) {
  const auto found =
      std::ranges::find_if(workers_, [&](const auto& member) { return member.get() == &worker; });
  if (found == workers_.end()) return;
  // Killed first, so that its counters are final.
  std::unique_ptr<Worker> leaving = std::move(*found);
  workers_.erase(found);
  leaving->kill();
  removed_[static_cast<size_t>(leaving->role())] += leaving->counts();
  sink_({WorkerEvent::Kind::removed, *leaving, {}});
  if (leaving->alive()) leaving_.push_back(std::move(leaving));
}

void WorkerPool::start(Worker& worker) {
  worker.start(monotonic_ns());
  loop_.watch(worker.pidfd(), &Events::workers);
}

void WorkerPool::place(Worker& worker, int cpu) {
  worker.set_cpu(cpu);
  pin(worker);
}

void WorkerPool::pin(Worker& worker) {
  if (!worker.alive() || allowed_.empty()) return;
  const int error = pipetop::pin(worker.pid(), worker.cpu(), allowed_);
  if (error != 0 && error != ESRCH)
    sink_({WorkerEvent::Kind::cannot_pin, worker,
           std::string("sched_setaffinity: ") + std::strerror(error)});
}

void WorkerPool::reap() {
  std::erase_if(leaving_,
                [](const auto& worker) { return worker->reap(monotonic_ns()).has_value(); });
  for (const auto& worker : workers_)
    if (const auto end = worker->reap(monotonic_ns()))
      sink_({WorkerEvent::Kind::died, *worker, end->words()});
}

void WorkerPool::replace_dead() {
  reap();
  for (const auto& member : workers_) {
    Worker& worker = *member;
    const uint64_t now_ns = monotonic_ns();
    worker.look(now_ns);
    if (!worker.restart_due(now_ns)) continue;
    try {
      start(worker);
    } catch (const Error& error) {
      sink_({WorkerEvent::Kind::cannot_start, worker, error.what()});
      worker.put_off(now_ns);
      continue;
    }
    pin(worker);
    sink_({WorkerEvent::Kind::replaced, worker, {}});
  }
}

bool WorkerPool::any_running() const {
  return std::ranges::any_of(workers_, [](const auto& w) { return w->runs(); });
}

void WorkerPool::send(int signal) const {
  for (const auto& worker : workers_) worker->send(signal);
}

std::vector<const Worker*> WorkerPool::of(Role role) const {
  std::vector<const Worker*> workers;
  for (const auto& worker : workers_)
    if (worker->role() == role) workers.push_back(worker.get());
  return workers;
}

std::vector<pid_t> WorkerPool::pids(Role role) const {
  std::vector<pid_t> pids;
  for (const Worker* worker : of(role))
    if (worker->alive()) pids.push_back(worker->pid());
  return pids;
}

WorkerCounts WorkerPool::counts(Role role) const {
  WorkerCounts counts = removed_[static_cast<size_t>(role)];
  for (const Worker* worker : of(role)) counts += worker->counts();
  return counts;
}

void describe_state(std::span<const Worker* const> workers, const WorkerContext& now,
                    WorkerReadings& view) {
  view.processes = static_cast<int>(workers.size());
  if (workers.empty()) return;
  describe_state(*workers.front(), now, view);
  for (const Worker* worker : workers.subspan(1)) {
    WorkerReadings other;
    describe_state(*worker, now, other);
    view.restarts += other.restarts;
    if (other.state <= view.state) continue;
    view.state = other.state;
    view.state_reason = other.state_reason;
    view.lacks_feature = other.lacks_feature;
  }
}

}  // namespace pipetop

#include "engine/process/worker_pool.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop {

WorkerPool::WorkerPool(WorkloadKind workload, std::string program, std::vector<Cpu> allowed,
                       int epoll_fd, std::function<void(const WorkerEvent&)> sink)
    : workload_(workload),
      program_(std::move(program)),
      allowed_(std::move(allowed)),
      epoll_fd_(epoll_fd),
      sink_(std::move(sink)) {}

Worker& WorkerPool::add(Role role, std::vector<int> fds) {
  auto worker = std::make_unique<Worker>(workload_, role, program_, std::move(fds));
  start(*worker);
  members_.push_back({std::move(worker), kNoCpu});
  Worker& added = *members_.back().worker;
  sink_({WorkerEvent::Kind::added, added, {}});
  return added;
}

void WorkerPool::remove(Worker& worker) {
  const auto member =
      std::ranges::find(members_, &worker, [](const Member& m) { return m.worker.get(); });
  if (member == members_.end()) return;
  // Killed first, so that its counters are final.
  const std::unique_ptr<Worker> leaving = std::move(member->worker);
  members_.erase(member);
  leaving->kill();
  removed_[static_cast<size_t>(leaving->role())] += leaving->counts();
  sink_({WorkerEvent::Kind::removed, *leaving, {}});
}

void WorkerPool::start(Worker& worker) {
  worker.start(monotonic_ns());
  epoll_event event = {.events = EPOLLIN, .data = {.fd = worker.pidfd()}};
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, worker.pidfd(), &event) != 0)
    throw SystemError("epoll_ctl of a pidfd", errno);
}

WorkerPool::Member& WorkerPool::member_of(const Worker& worker) {
  return *std::ranges::find(members_, &worker, [](const Member& m) { return m.worker.get(); });
}

void WorkerPool::place(Worker& worker, int cpu) {
  Member& member = member_of(worker);
  member.cpu = cpu;
  pin(member);
}

void WorkerPool::pin(const Member& member) {
  Worker& worker = *member.worker;
  if (!worker.alive() || allowed_.empty()) return;
  const int error = pipetop::pin(worker.pid(), member.cpu, allowed_);
  if (error != 0 && error != ESRCH)
    sink_({WorkerEvent::Kind::cannot_pin, worker,
           std::string("sched_setaffinity: ") + std::strerror(error)});
}

void WorkerPool::reap() {
  for (const Member& member : members_)
    if (const auto end = member.worker->reap(monotonic_ns()))
      sink_({WorkerEvent::Kind::died, *member.worker, end->words()});
}

void WorkerPool::replace_dead() {
  reap();
  for (const Member& member : members_) {
    Worker& worker = *member.worker;
    const uint64_t now_ns = monotonic_ns();
    if (!worker.restart_due(now_ns)) continue;
    try {
      start(worker);
    } catch (const Error& error) {
      sink_({WorkerEvent::Kind::cannot_start, worker, error.what()});
      worker.put_off(now_ns);
      continue;
    }
    pin(member);
    sink_({WorkerEvent::Kind::replaced, worker, {}});
  }
}

bool WorkerPool::all_alive() const {
  return std::ranges::all_of(members_, [](const Member& m) { return m.worker->alive(); });
}

bool WorkerPool::any_alive() const {
  return std::ranges::any_of(members_, [](const Member& m) { return m.worker->alive(); });
}

bool WorkerPool::any_running() const {
  return std::ranges::any_of(
      members_, [](const Member& m) { return m.worker->alive() && !m.worker->stopped(); });
}

void WorkerPool::send(int signal) const {
  for (const Member& member : members_) member.worker->send(signal);
}

std::vector<const Worker*> WorkerPool::of(Role role) const {
  std::vector<const Worker*> workers;
  for (const Member& member : members_)
    if (member.worker->role() == role) workers.push_back(member.worker.get());
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

}  // namespace pipetop

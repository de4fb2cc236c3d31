#include "engine/process/worker_pair.h"

#include <sys/epoll.h>

#include <cerrno>
#include <cstring>

#include "engine/clock.h"
#include "engine/error.h"

namespace pipetop {

WorkerPair::WorkerPair(const std::string& program, int epoll_fd,
                       std::function<void(const WorkerEvent&)> sink)
    : writer_(Role::writer, program, pipe_.write_fd()),
      reader_(Role::reader, program, pipe_.read_fd()),
      epoll_fd_(epoll_fd),
      sink_(std::move(sink)) {
  for (Worker* worker : both()) start(*worker);
}

void WorkerPair::start(Worker& worker) {
  worker.start(monotonic_ns());
  epoll_event event = {.events = EPOLLIN, .data = {.fd = worker.pidfd()}};
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, worker.pidfd(), &event) != 0)
    throw SystemError("epoll_ctl of a pidfd", errno);
}

void WorkerPair::place(int writer_cpu, int reader_cpu, std::span<const Cpu> allowed) {
  writer_cpu_ = writer_cpu;
  reader_cpu_ = reader_cpu;
  allowed_ = allowed;
  for (Worker* worker : both()) pin(*worker);
}

void WorkerPair::pin(Worker& worker) {
  if (!worker.alive() || allowed_.empty()) return;
  const int cpu = worker.role() == Role::writer ? writer_cpu_ : reader_cpu_;
  const int error = pipetop::pin(worker.pid(), cpu, allowed_);
  if (error != 0 && error != ESRCH)
    sink_({WorkerEvent::Kind::cannot_pin, worker,
           std::string("sched_setaffinity: ") + std::strerror(error)});
}

void WorkerPair::replace_dead() {
  for (Worker* worker : both()) {
    const uint64_t now_ns = monotonic_ns();
    if (const auto end = worker->reap(now_ns))
      sink_({WorkerEvent::Kind::died, *worker, end->words()});
    if (!worker->restart_due(now_ns)) continue;
    try {
      start(*worker);
    } catch (const Error& error) {
      sink_({WorkerEvent::Kind::cannot_start, *worker, error.what()});
      worker->put_off(now_ns);
      continue;
    }
    pin(*worker);
    sink_({WorkerEvent::Kind::replaced, *worker, {}});
  }
}

}  // namespace pipetop

// One worker: its control block and its current process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/control_block.h"
#include "engine/model/settings.h"
#include "engine/process/worker_process.h"

namespace pipetop {

class Worker {
 public:
  // Does not start the process yet. It will get `fds`, which the caller owns.
  // Throws SystemError.
  Worker(WorkloadKind workload, Role role, std::string program, std::vector<int> fds);

  // The process holds until it gets another command. Throws SystemError.
  void start(uint64_t now_ns);

  // A command equal to the last one does nothing.
  void publish(const WorkerCommand& command);

  // The worker's answer to the last command; nothing until it has seen it.
  std::optional<WorkerReport> report() const;

  // Interrupts a sleep in a system call. The worker may fall asleep right after it
  // checked its command, so this is repeated until there is a report.
  void wake() const { process_.send(kWakeSignal); }

  // Reaps a process that has ended and schedules its replacement: immediately the
  // first time, later and later while it keeps dying early.
  std::optional<ProcessEnd> reap(uint64_t now_ns);
  bool restart_due(uint64_t now_ns) const { return !alive() && now_ns >= restart_at_ns_; }
  // The process could not be started.
  void put_off(uint64_t now_ns);

  Role role() const { return role_; }
  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }
  bool alive() const { return process_.alive(); }
  bool stopped() const { return process_.stopped(); }
  void send(int signal) const { process_.send(signal); }
  // Ends its process for good.
  void kill() { process_ = WorkerProcess(); }
  uint32_t restarts() const { return starts_ > 0 ? starts_ - 1 : 0; }
  // How the previous process ended, "" if there was none.
  const std::string& last_end() const { return last_end_; }
  WorkerCounts counts() const { return read_counts(control_.block()); }
  WorkerIntegrity integrity() const { return read_integrity(control_.block()); }

 private:
  Role role_;
  std::string program_;
  std::vector<int> fds_;
  ControlMemory control_;
  WorkerProcess process_;
  WorkerCommand command_;
  uint32_t generation_ = 0;
  uint32_t starts_ = 0;
  uint32_t young_deaths_ = 0;
  uint64_t started_at_ns_ = 0;
  uint64_t restart_at_ns_ = 0;
  std::string last_end_;
};

}  // namespace pipetop

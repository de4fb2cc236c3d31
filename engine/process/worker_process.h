// One worker: how it is started, its control block and its current process.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/handles.h"
#include "engine/model/control_block.h"
#include "engine/model/settings.h"

namespace pipetop {

inline constexpr const char* kWorkerProcess = "worker-process";  // argv[1]; UID and GID follow

// A worker's descriptors: its control block, then those that its workload gives to
// its role.
inline constexpr int kWorkerControlFd = 3;
inline constexpr int kWorkerFirstFd = 4;

// Interrupts a worker's sleep in a system call so that it checks its command. The
// handler does nothing.
inline constexpr int kWakeSignal = SIGUSR1;

// Who has been told to end, and has not run for so long, is stopped or frozen, or held up by the
// kernel: there is nothing to wait for.
inline constexpr uint64_t kStuckPatience_ns = 300'000'000;

// The memfd that holds a control block, mapped.
class ControlMemory {
 public:
  // Throws SystemError.
  ControlMemory(WorkloadKind workload, Role role);

  ControlBlock& block() const { return *static_cast<ControlBlock*>(mapping_.data()); }
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  Mapping mapping_;
};

// How a process ended.
struct ProcessEnd {
  bool by_signal = false;
  int code = 0;  // the signal, or the exit status

  std::string words() const;  // "signal 15 (Terminated)", "exit status 1"
};

// A child process; the destructor kills and reaps it.
class WorkerProcess {
 public:
  WorkerProcess() = default;
  // Execs `program worker-process UID GID` with its control block and its other
  // descriptors. Throws SystemError.
  WorkerProcess(const std::string& program, int control_fd, std::span<const int> fds);

  pid_t pid() const { return child_ ? child_->pid : 0; }
  int pidfd() const { return child_ ? child_->pidfd.get() : -1; }  // readable when it has ended
  bool alive() const { return child_ != nullptr; }
  bool stopped() const { return child_ && child_->stopped; }
  // Runs, waits for a CPU, or is to be reaped; not while it sleeps, is stopped or frozen, or is
  // held up by the kernel.
  bool runs() const { return child_ && child_->runs(); }

  void send(int signal) const;

  // Records stops and continuations; if it has ended, reaps it and returns how.
  std::optional<ProcessEnd> poll();

  // Kills it, and waits for its end, but not for long: one that the kernel holds up (state D, or a
  // frozen cgroup of v1), or that gets no CPU, ends later.
  void kill();

 private:
  struct Child {
    explicit Child(pid_t p) : pid(p) {}
    ~Child();
    bool runs() const;
    void send(int signal);
    void kill();

    pid_t pid;  // 0: reaped
    UniqueFd pidfd;
    bool stopped = false;
    uint64_t killed_at_ns = 0;  // 0: it was not
  };
  std::unique_ptr<Child> child_;
};

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

  // Allows one more single step; false if it has not made the last one yet.
  bool step() { return grant_permit(control_.block()); }
  void revoke_step() { revoke_permit(control_.block()); }

  // Reaps a process that has ended and schedules its replacement: immediately the
  // first time, later and later while it keeps dying early.
  std::optional<ProcessEnd> reap(uint64_t now_ns);
  bool restart_due(uint64_t now_ns) const { return !alive() && now_ns >= restart_at_ns_; }
  // The process could not be started.
  void put_off(uint64_t now_ns);

  Role role() const { return role_; }
  // That it is to be pinned to, also after a restart; kNoCpu: any CPU.
  int cpu() const { return cpu_; }
  void set_cpu(int cpu) { cpu_ = cpu; }
  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }
  bool alive() const { return process_.alive(); }
  bool stopped() const { return process_.stopped(); }
  // What freezes it, as why_frozen() says; looked up by look() while it does no work.
  const std::string& frozen_by() const { return frozen_by_; }
  void look(uint64_t now_ns);
  bool runs() const { return process_.runs(); }
  void send(int signal) const { process_.send(signal); }
  // Ends its process for good; perhaps later, see WorkerProcess.
  void kill() { process_.kill(); }
  uint32_t restarts() const { return starts_ > 0 ? starts_ - 1 : 0; }
  // How the previous process ended, "" if there was none.
  const std::string& last_end() const { return last_end_; }
  WorkerCounts counts() const { return read_counts(control_.block()); }
  WorkerIntegrity integrity() const { return read_integrity(control_.block()); }
  WorkerMarks marks() const { return read_marks(control_.block()); }

 private:
  Role role_;
  int cpu_ = kNoCpu;
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
  uint64_t seen_calls_ = 0, looked_ns_ = 0;
  std::string frozen_by_;
};

}  // namespace pipetop

// One worker process and its control block, from the engine's side.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/mapping.h"
#include "engine/base/unique_fd.h"
#include "engine/model/control_block.h"
#include "engine/model/settings.h"

namespace pipetop {

// Interrupts a worker's sleep in a system call so that it checks its command. The
// handler does nothing.
inline constexpr int kWakeSignal = SIGUSR1;

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

  std::string words() const;  // "signal 9 (Killed)", "exit status 1"
};

// A child process; the destructor kills and reaps it.
class WorkerProcess {
 public:
  WorkerProcess() = default;
  // Execs `program worker-process` with its control block and its other
  // descriptors. Throws SystemError.
  WorkerProcess(const std::string& program, int control_fd, std::span<const int> fds);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable when it has ended
  bool alive() const { return pid_ > 0; }
  bool stopped() const { return stopped_; }

  void send(int signal) const;

  // Records stops and continuations; if it has ended, reaps it and returns how.
  std::optional<ProcessEnd> poll();

 private:
  void kill_and_reap();

  pid_t pid_ = 0;
  UniqueFd pidfd_;
  bool stopped_ = false;
};

}  // namespace pipetop

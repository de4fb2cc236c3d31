// A process that holds a pipe for a test, and what is needed to name it.
#pragma once

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>

#include "engine/base/unique_fd.h"
#include "engine/model/pipe_scan.h"
#include "engine/process/threads.h"

namespace pipetop {

inline ProcessId id_of_process(pid_t pid) { return {pid, start_ticks_of(pid).value_or(0)}; }

struct OwnPipe {
  explicit OwnPipe(int flags = 0) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | flags) != 0) throw std::runtime_error("pipe2");
    out = UniqueFd(ends[0]);
    in = UniqueFd(ends[1]);
    struct stat status = {};
    if (fstat(out.get(), &status) != 0) throw std::runtime_error("fstat");
    id = {static_cast<uint32_t>(status.st_dev), status.st_ino};
  }

  UniqueFd out, in;  // to read from, to write to
  PipeId id;
};

// Does something, and then nothing until its owner goes.
class ForeignProcess {
 public:
  explicit ForeignProcess(const std::function<void()>& body = [] {}) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      body();
      for (;;) pause();
    }
    id_ = id_of_process(pid_);
  }
  ~ForeignProcess() { end(); }
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  pid_t pid() const { return pid_; }
  ProcessId id() const { return id_; }

  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
  ProcessId id_;
};

// Why no copy of another process's descriptor can be made here; 0 if it can.
inline int refusal_of_copies() {
  const OwnPipe pipe;
  const ForeignProcess process;
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid(), 0)));
  if (!pidfd) return errno;
  const UniqueFd copy(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), pipe.in.get(), 0)));
  return copy ? 0 : errno;
}

#define PIPETOP_NEED_COPIES()                                    \
  do {                                                           \
    if (const int refused = ::pipetop::refusal_of_copies())      \
      GTEST_SKIP() << "pidfd_getfd: " << std::strerror(refused); \
  } while (false)

}  // namespace pipetop

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/unique_fd.h"
#include "engine/experiment/limits_steps.h"
#include "engine/process/placement.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

// Echoes every byte until the other side is gone. Runs in a child after fork:
// system calls only.
[[noreturn]] void echo(int in, int out) {
  char byte = 0;
  while (::read(in, &byte, 1) == 1 && ::write(out, &byte, 1) == 1) continue;
  ::_exit(0);
}

struct Ends {
  UniqueFd read, write;
};

Ends make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", errno);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A process that echoes; it ends with this object and with its parent.
class Partner {
 public:
  Partner(int cpu, std::span<const Cpu> allowed) {
    Ends there = make_pipe(), back = make_pipe();
    start(there.read.get(), back.write.get());
    if (pid_ < 0) throw SystemError("fork", errno);
    // By the parent: the child is not to touch the heap.
    if (const int refused = pin(pid_, cpu, allowed)) {
      end();
      throw SystemError("sched_setaffinity", refused);
    }
    to_ = std::move(there.write);
    from_ = std::move(back.read);
  }
  ~Partner() { end(); }
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;

  // End of file if the partner is gone: nobody else has its ends.
  void round_trip() const {
    char byte = 0;
    if (::write(to_.get(), &byte, 1) != 1) throw SystemError("write", errno);
    ssize_t got = 0;
    do got = ::read(from_.get(), &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got < 0) throw SystemError("read", errno);
    if (got == 0) throw Error("the process to wake up died", Exit::worker_failed);
  }

 private:
  void start(int in, int out) {
    const pid_t parent = ::getpid();
    sigset_t all, before;
    sigfillset(&all);
    // Signals to the whole group are for the parent to handle.
    ::sigprocmask(SIG_SETMASK, &all, &before);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(0);  // the parent died before PDEATHSIG was set
      if (!drop_capabilities()) ::_exit(1);
      ::prctl(PR_SET_NAME, "pipetop-echo");
      echo(in, out);
    }
    const int error = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    errno = error;
  }

  void end() const {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  UniqueFd to_, from_;
  pid_t pid_ = -1;
};

}  // namespace

LimitsStep wakeup_step(int partner_cpu) {
  if (partner_cpu == kNoCpu) throw Error("pipetop may use only one CPU", Exit::refused);
  const auto partner = std::make_shared<Partner>(partner_cpu, read_topology());
  return [=] { return std::vector{mean_call_ns([&] { partner->round_trip(); }) / 2}; };
}

}  // namespace pipetop

// A pipe whose lock somebody sleeps with: a splice from a socket that has no data.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>

#include <optional>
#include <stdexcept>

#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {

class LockedPipe {
 public:
  // Whoever waits for the lock can't be killed: the caller lets go before it waits for them.
  LockedPipe() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::runtime_error("socketpair");
    ours_.reset(ends[0]);
    theirs_.reset(ends[1]);
    holder_.emplace([this] {
      ours_.reset();
      // The pipe that a test prints to isn't of this pipeline.
      const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
      for (const int fd : {0, 1, 2}) ::dup2(null.get(), fd);
      (void)!::splice(theirs_.get(), nullptr, pipe_.in.get(), nullptr, 1, 0);
      return ::pause();
    });
    theirs_.reset();
    if (!eventually([&] { return sleeps_in_splice(); })) throw std::runtime_error("no splice");
  }

  const TestPipe& pipe() const { return pipe_; }
  pid_t holder() const { return holder_->pid(); }

  // The splice comes to its end. Other children may have the socket, too.
  void let_go() { ::shutdown(ours_.get(), SHUT_RDWR); }

 private:
  bool sleeps_in_splice() const {
    const auto stat = read_task_stat(holder());
    return stat && stat->state == 'S' &&
           read_proc_file(holder(), "wchan").starts_with("unix_stream");
  }

  TestPipe pipe_;
  UniqueFd ours_, theirs_;
  std::optional<Child> holder_;  // killed before the socket is closed
};

}  // namespace pipetop

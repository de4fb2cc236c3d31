// An end of a pipe that another process holds: a copy of its descriptor, by pidfd_getfd. While we
// have it, nobody gets end of file or SIGPIPE: it must live for a few microseconds only, and never
// across a wait.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/handles.h"
#include "engine/model/pipe_scan.h"

namespace pipetop {

// The device of all pipes that are no FIFOs, from stat; 0 if no pipe can be made to ask.
uint32_t device_of_nameless_pipes();

// Async-signal-safe. Returns 0 or errno: ESRCH, the process has exited; EBADF, it no longer holds
// this pipe there; EPERM, we may not.
int copy_end(PipeId pipe, const PipeEnd& end, UniqueFd& copy);

class ForeignEnd {
 public:
  // Throws SystemError, with the same numbers.
  ForeignEnd(PipeId pipe, const PipeEnd& end);

  // These throw SystemError.
  uint64_t capacity() const;  // bytes
  uint64_t queued() const;    // bytes

  // Returns the size that the kernel granted.
  uint64_t resize(uint64_t bytes);

 private:
  UniqueFd copy_;
};

// Asks pipes that others hold for their size and what is in them, in a child: only it ever has a
// copy of an end, and closes it before it answers. A copy keeps others from end of file and
// SIGPIPE, so nobody must be able to stop its owner meanwhile: the child is in a session of its
// own, so that no terminal and no shell stops it with us, and it is killed with us. It stays for
// the next questions: to fork for each would take longer than all else.

class PipeAsker {
 public:
  struct Question {
    PipeId pipe;
    PipeEnd end;
  };
  struct Answer {
    uint64_t capacity = 0, queued = 0;  // bytes
  };

  PipeAsker() = default;
  PipeAsker(const PipeAsker&) = delete;
  PipeAsker& operator=(const PipeAsker&) = delete;
  ~PipeAsker() { end(); }

  // In the same order; nothing: that process no longer holds this pipe there, or we may not ask.
  std::vector<std::optional<Answer>> ask(std::span<const Question> questions);

  pid_t child() const { return child_; }  // 0: it isn't needed yet

 private:
  bool begin();
  void end();

  pid_t child_ = 0;
  UniqueFd pidfd_, socket_;
};

}  // namespace pipetop

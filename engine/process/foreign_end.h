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

// ---- what the kernel tells, or does, with the pipe's lock ----
//
// Who waits for that lock can't be killed, and a splice from a socket holds it until data comes. So
// only children of ours ever wait for it. One that doesn't get it is left behind, with SIGKILL on
// its way: it ends when the lock is free, and does nothing more before.

// Whether one of them waits for the lock of this pipe. It isn't asked again meanwhile.
bool is_locked(PipeId pipe);

// Whether a process waits for a pipe's lock now: not for a page that a busy disk has, for example.
// Unknown while it falls asleep, and where the kernel doesn't tell. Async-signal-safe.
enum class InPipe : uint8_t { no, unknown, yes };
InPipe sleeps_in_pipe(pid_t process);

struct PipeSizes {
  uint64_t before = 0, now = 0;  // bytes that it holds at most
  uint64_t queued = 0;           // bytes in it
};

// Asks a pipe, or gives it another size; if `expected` isn't 0, only one that has this size. Takes
// the copy of its end. Returns 0 or errno: ETIMEDOUT, it is locked; ETIME, our child didn't
// get to it in a second. `sizes` are as far as they are known. Async-signal-safe.
int ask_pipe(PipeId pipe, UniqueFd copy, PipeSizes& sizes);
int resize_pipe(PipeId pipe, UniqueFd copy, uint64_t bytes, uint64_t expected, PipeSizes& sizes);

// Asks pipes that others hold for their size and what is in them, in a child: only it ever has a
// copy of an end, and closes it before it answers. A copy keeps others from end of file and
// SIGPIPE, so nobody must be able to stop its owner meanwhile: the child is in a process group of
// its own, so that no terminal and no shell stops it with us, and it is killed with us. A session
// of its own would have the scheduler's autogroups starve it. It stays for the next questions: to
// fork for each would take longer than all else.
class PipeAsker {
 public:
  struct Question {
    PipeId pipe;
    PipeEnd end;

    bool operator==(const Question&) const = default;
  };
  struct Answer {
    uint64_t capacity = 0, queued = 0;  // bytes
  };

  PipeAsker() = default;
  PipeAsker(const PipeAsker&) = delete;
  PipeAsker& operator=(const PipeAsker&) = delete;
  ~PipeAsker();

  // In the same order; nothing: that process no longer holds this pipe there, or we may not ask, or
  // it is locked, or there was no time for it. Takes some 50 ms at most.
  std::vector<std::optional<Answer>> ask(std::span<const Question> questions);

  pid_t child() const { return child_; }  // 0: it isn't needed yet

 private:
  struct Desk;  // shared with the child
  enum class Outcome : uint8_t { answered, locked, slow, gone };

  Desk& desk() const { return *static_cast<Desk*>(memory_.data()); }
  bool begin();
  [[noreturn]] static void answer_all(Desk& desk);
  bool send(std::span<const Question> questions);
  Outcome wait(uint64_t until_ns);
  bool finish(std::span<const Question> questions, std::vector<std::optional<Answer>>& answers);
  void give_up(Outcome outcome);
  void kill_child();
  void leave(PipeId pipe);

  pid_t child_ = 0;
  UniqueFd pidfd_, socket_;
  Mapping memory_;
  uint64_t sent_ns_ = 0;  // what isn't all answered yet; 0: there is nothing
  // How many it had answered when we looked, and since when it was so.
  uint32_t answered_ = 0;
  uint64_t answered_ns_ = 0;
};

}  // namespace pipetop

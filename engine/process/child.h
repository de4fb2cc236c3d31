// Children of ours that become other programs, and what we give back to them that we have changed
// for ourselves: some signals, and the limit of descriptors.
#pragma once

#include <sys/types.h>

#include <functional>

#include "engine/base/handles.h"

namespace pipetop {

struct StartedChild {
  pid_t pid = 0;
  UniqueFd pidfd;
  int exec_error = 0;  // errno; the child is reaped then, and has no pidfd
};

// Forks, and waits until the child has become the program that it was to become, or has ended.
// `become` is called in the child, where only async-signal-safe calls are allowed: it execs, and
// reports a failure through the descriptor that it is given, which exec closes. A child that a
// signal has stopped before is continued: of Ctrl-Z we learn, too, and stop it once more. Throws
// SystemError.
StartedChild start_child(const std::function<void(int report_fd)>& become);

// In the child, with errno of exec: does not return.
[[noreturn]] void report_failed_exec(int report_fd);

// ---- what some signals did when we were started ----
//
// For main() a failed write is an error of write(), and not SIGPIPE or SIGXFSZ; and while SIGCHLD
// is ignored, as a careless parent leaves it, the kernel reaps our children before we can ask how
// they ended. A program that we start, or a command that ends as cat does, has to have them as they
// were.

// To be called once, by main().
void set_own_signals();

// As they were, and which of all signals were blocked; async-signal-safe, for a child before it
// execs. None is blocked if set_own_signals() was not called.
void restore_inherited_signals();

// ---- the soft limit of open descriptors, which is 1024 for programs that use select() ----

// Raises it to the hard limit. We never use select().
void raise_descriptor_limit();

// Restores what raise_descriptor_limit() found: in a child, for a program that may expect it.
// Async-signal-safe.
void restore_descriptor_limit();

}  // namespace pipetop

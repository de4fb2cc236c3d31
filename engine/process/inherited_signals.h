// What some signals did when we were started. For main() a failed write is an error of write(), and
// not SIGPIPE or SIGXFSZ; and while SIGCHLD is ignored, as a careless parent leaves it, the kernel
// reaps our children before we can ask how they ended. A program that we start, or a command that
// ends as cat does, has to have them as they were.
#pragma once

namespace pipetop {

// To be called once, by main().
void set_own_signals();

// As they were; async-signal-safe, for a child before it execs. Nothing if they were not set.
void restore_inherited_signals();

}  // namespace pipetop

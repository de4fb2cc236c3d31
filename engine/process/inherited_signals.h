// What the signals of a failed write did when we were started. main() ignores them: for it they are
// errors of write(). A program that we start, or a command that ends as cat does, has to know.
#pragma once

namespace pipetop {

// SIGPIPE and SIGXFSZ. To be called once, by main().
void ignore_write_signals();

// As they were; async-signal-safe, for a child before it execs. Nothing if they were not ignored.
void restore_write_signals();

}  // namespace pipetop

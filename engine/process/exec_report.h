// Whether a child has become the program that it was to become. It holds the write end of a
// close-on-exec pipe, and reports the errno there if exec fails.
#pragma once

#include <sys/types.h>

#include "engine/base/unique_fd.h"

namespace pipetop {

// 0: exec has succeeded, and closed the other end; or the child has ended without a word. A child
// that a signal has stopped before is continued: of Ctrl-Z we learn, too, and stop it once more.
int wait_for_exec(const UniqueFd& reports, pid_t child);

// In the child: does not return. Async-signal-safe.
[[noreturn]] void report_failed_exec(int report_fd);

}  // namespace pipetop

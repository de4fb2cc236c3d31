// What a worker must not have: it moves bytes, which anybody may do.
#pragma once

namespace pipetop {

// Takes every capability from the calling process for good: no program that it
// execs can bring one along, file capabilities neither. Its user stays. For a child
// after fork, too: only async-signal-safe calls. False with errno set if refused.
bool drop_capabilities();

// Leaves the process no capability to regain, where it may do that: it takes
// CAP_SETPCAP, so root has to call it before it becomes somebody else. Not before
// exec of a program with file capabilities, which the kernel would then refuse.
void empty_bounding_set();

}  // namespace pipetop

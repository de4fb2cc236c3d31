// Removes a worker's privileges: it only moves bytes, which needs none.
#pragma once

namespace pipetop {

// Drops all capabilities of the calling process permanently: no program that it
// execs can regain them, not even with file capabilities. The user stays the same.
// Async-signal-safe, for use after fork. False with errno set on failure.
bool drop_capabilities();

// Empties the bounding set, if allowed: it needs CAP_SETPCAP, so root has to call
// it before changing the user. Not before exec of a program with file capabilities,
// which the kernel would then refuse.
void empty_bounding_set();

}  // namespace pipetop

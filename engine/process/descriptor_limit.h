// The soft limit of open descriptors, which is 1024 for the sake of programs that use select().
#pragma once

namespace pipetop {

// Raises it to the hard limit. We never use select().
void raise_descriptor_limit();

// Restores what raise_descriptor_limit() found: in a child, for a program that may expect it.
// Async-signal-safe.
void restore_descriptor_limit();

}  // namespace pipetop

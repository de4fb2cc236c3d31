// Puts back what was changed in processes that aren't ours (engine/process/foreign_change.h). What
// has ended since, and what somebody else has set to another value, is left alone.
//
// Only async-signal-safe calls and no memory: a guardian does it, too. A process that it has to
// look for takes a descriptor, and a pipe's end two.
#pragma once

#include <cstdint>

#include "engine/process/foreign_change.h"

namespace pipetop {

// What became of the changes of one step.
struct PutBack {
  bool restored = false;  // one, at least
  bool altered = false;   // somebody else has set one since
  int error = 0;          // why one is still in place; 0: none is
};

// If a later step changed the same and is still in place, that one has to be put back first.
PutBack put_back_step(ChangeList& list, uint32_t step);

// The last one first. Returns whether it may help to try again.
bool put_back_all(ChangeList& list);

// Whether that can pass: a full pipe, too few descriptors.
bool may_pass(int error_number);

}  // namespace pipetop

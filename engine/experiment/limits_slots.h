// What a slot of the ring costs by itself, whatever page it refers to.
//
// vmsplice gets pages and fills slots. To tell the two apart, slots are filled without
// getting a page, in the two ways that there are: tee copies each slot, and takes a
// reference of each page one by one, where vmsplice takes one of a whole huge page; a
// splice from pipe to pipe moves each slot, and takes none, but it empties the other
// ring's. So filling costs at most what moving does, and getting a page at least what
// is left of vmsplice.
#pragma once

#include <memory>

#include "engine/experiment/limits_step.h"
#include "engine/model/settings.h"

namespace pipetop {

// The figures of a slice, in ns a slot.
inline constexpr size_t kTee = 0, kMove = 1;

// A whole ring at a time. Throws Error when there are no such rings or pages.
std::unique_ptr<LimitsStep> slots_step(Pages pages, uint64_t ring_bytes);

}  // namespace pipetop

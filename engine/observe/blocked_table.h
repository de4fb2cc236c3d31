// Sleeps folded into a table: how long, and a tree of where.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/model/functions.h"
#include "engine/observe/sched_reader.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {

// The functions in which a task sleeps, the innermost first, from the addresses
// of a stack that was taken as it switched away.
std::vector<Function> sleeping_stack(std::span<const uint64_t> addresses, const Symbols& symbols);

// Of what `now` has and `before` had not. `stack_of` gives the addresses of a
// place. The tree weighs all of `ns`: what is an estimate is made to fit what is
// exact, and time whose stack was lost is a root of its own, "[unknown]".
BlockedTable blocked_table(const Sleeps& now, const Sleeps& before,
                           const std::function<std::span<const uint64_t>(size_t)>& stack_of,
                           const Symbols& symbols);

}  // namespace pipetop::observe

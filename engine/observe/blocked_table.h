// Sleeps folded into a table: how long, and a call tree.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/model/functions.h"
#include "engine/observe/sched_reader.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {

// The functions in which a task sleeps, innermost first, from the addresses of a
// stack taken when it switched away.
std::vector<Function> sleeping_stack(std::span<const uint64_t> addresses, const Symbols& symbols);

// The difference between `now` and `before`. `stack_of` returns the addresses of a
// place. The tree's weight is exactly `ns`: estimates are scaled to fit, and time
// whose stack was lost is a separate root, "[unknown]".
BlockedTable blocked_table(const Sleeps& now, const Sleeps& before,
                           const std::function<std::span<const uint64_t>(size_t)>& stack_of,
                           const Symbols& symbols);

}  // namespace pipetop::observe

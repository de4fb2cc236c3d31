// What limits the rate: one verdict, with the numbers that show it, or the reason
// why there is none. The rules are at the top of pair_rules.cpp.
#pragma once

#include <string_view>

#include "engine/model/snapshot.h"

namespace pipetop {

// "lock-bound".
std::string_view to_text(Bound bound);

// Judges `s`, ignoring Snapshot::verdict. Warming while there are too few samples;
// unavailable if there is no single bottleneck, or nothing to judge (a stopped
// worker, slow motion).
Reading<Verdict> judge_bound(const Snapshot& s);

}  // namespace pipetop

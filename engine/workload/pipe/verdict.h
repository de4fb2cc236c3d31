// What limits the rate: one verdict, with the numbers that say so, or the words
// for why there is none. The rules stand at the top of verdict.cpp.
#pragma once

#include <string_view>

#include "engine/model/snapshot.h"

namespace pipetop {

// "lock-bound".
std::string_view to_text(Bound bound);

// Judges what `s` shows; Snapshot::verdict itself is not looked at. Warming while
// there is too little evidence yet; unavailable when the evidence points nowhere,
// or there is nothing to judge (a stopped worker, slow motion).
Reading<Verdict> judge_bound(const Snapshot& s);

}  // namespace pipetop

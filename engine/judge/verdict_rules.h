// The rules that a verdict follows from; the table is at the top of verdict_rules.cpp.
#pragma once

#include <optional>
#include <string>

#include "engine/judge/verdict_evidence.h"

namespace pipetop {

// "38 %".
std::string percent(double share);
// "ring empty 40 %, full 25 %".
std::string ring_text(const RingEvidence& ring);

// By the rules that do without samples.
std::optional<Verdict> judge_without_samples(const Evidence& e);
// By the others.
std::optional<Verdict> judge_with_samples(const Evidence& e);

}  // namespace pipetop

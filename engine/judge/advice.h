// What to do about a verdict, with the number that speaks for it; or that nothing can be done here.
#pragma once

#include <string>

#include "engine/judge/evidence.h"
#include "engine/judge/pipeline_words.h"

namespace pipetop {

// One line; "" if the verdict names nobody.
std::string advice_on(const JudgedPipeline& view, const Verdict& verdict);

// For our own pipe: which settings to try next.
std::string advice_on(const Snapshot& s, const Evidence& evidence, const Verdict& verdict);

}  // namespace pipetop

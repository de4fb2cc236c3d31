// What spoils a ladder.
#pragma once

#include "engine/experiment/ladder_report.h"

namespace pipetop {

// Fills in the doubts and the exit code from all the rest.
void add_doubts(LadderReport& report);

}  // namespace pipetop

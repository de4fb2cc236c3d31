// A made-up result with round numbers, for comparing text.
#pragma once

#include "tui/print/results.h"

namespace pipetop::tui {

RunResult example_result();

}  // namespace pipetop::tui

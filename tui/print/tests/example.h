// A made-up result with round numbers, for comparing text.
#pragma once

#include "tui/print/run_result.h"

namespace pipetop::tui {

RunResult example_result();

}  // namespace pipetop::tui

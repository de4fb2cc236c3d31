// Runs for people: one line an interval, then a summary.
#pragma once

#include <string>

#include "tui/print/run_result.h"

namespace pipetop::tui {

std::string print_human(const Interval& interval);  // "1.0 s    5.70 GiB/s"
std::string print_human(const RunResult& result);

}  // namespace pipetop::tui

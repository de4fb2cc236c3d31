// Runs as CSV: the article's 14 columns in its order, then ours.
#pragma once

#include <string>

#include "tui/print/run_result.h"

namespace pipetop::tui {

std::string csv_header();
std::string csv_row(const RunResult& result);

}  // namespace pipetop::tui

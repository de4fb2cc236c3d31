// Runs as CSV: the article's 14 columns in its order, then ours.
#pragma once

#include <string>
#include <string_view>

#include "tui/print/run_result.h"

namespace pipetop::tui {

// `more` are columns of the caller's, behind ours: "round,place" and "1,7".
std::string csv_header(std::string_view more = {});
std::string csv_row(const RunResult& result, std::string_view more = {});

}  // namespace pipetop::tui

// The results that `run`, `ladder` and `tune` write as JSON, and the first two as CSV, read again:
// also those of earlier versions.
#pragma once

#include <string>

#include "engine/experiment/compare.h"

namespace pipetop::tui {

// `text` is the content of `file`. Throws Error if it is no such result, or has no rates.
StoredResult read_stored_result(const std::string& file, const std::string& text);

}  // namespace pipetop::tui

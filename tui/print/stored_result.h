// The results that `run`, `ladder` and `tune` write as JSON, and the first two as CSV, read again:
// also those of earlier versions.
#pragma once

#include <map>
#include <string>

#include "engine/experiment/compare.h"
#include "engine/model/settings.h"

namespace pipetop::tui {

// `text` is the content of `file`. Throws Error if it is no such result, or has no rates.
StoredResult read_stored_result(const std::string& file, const std::string& text);

// As the rungs of stored results have them.
std::map<std::string, std::string> stored_settings(const Settings& settings);

}  // namespace pipetop::tui

// The results that `run`, `ladder` and `tune` write as JSON, and the first two as CSV, read again:
// also those of earlier versions.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "engine/experiment/compare.h"
#include "engine/model/settings.h"

namespace pipetop::tui {

inline constexpr size_t kMostResultBytes = 64 << 20;

// `text` is the content of `file`. Throws Error if it is no such result, is damaged, has no rates,
// or more of anything than a result has.
StoredResult read_stored_result(const std::string& file, std::string_view text);

// As the rungs of stored results have them.
std::map<std::string, std::string> stored_settings(const Settings& settings);

}  // namespace pipetop::tui

// A call tree as nested JSON.
#pragma once

#include <string>

#include "engine/model/functions.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {

// The roots, heaviest first, each with its callees inside; nothing is left out.
// Weights are named by their unit, "self_samples"; shares are of all of the tree.
Json call_tree_json(const CallTree& tree, const std::string& unit = "samples");

}  // namespace pipetop::tui

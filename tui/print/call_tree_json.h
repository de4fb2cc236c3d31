// A call tree as nested JSON.
#pragma once

#include "engine/functions.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {

// The roots, heaviest first, each with its callees inside; nothing is left out.
// Shares are of all samples.
Json call_tree_json(const CallTree& tree);

}  // namespace pipetop::tui

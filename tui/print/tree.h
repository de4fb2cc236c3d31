// What a process has started, as text and JSON.
#pragma once

#include <string>

#include "engine/model/process_tree.h"
#include "tui/print/json.h"

namespace pipetop::tui {

// A line for each row, below a heading.
std::string tree_text(const ProcessTreeView& tree, int columns);

Json tree_json(const ProcessTreeView& tree);

}  // namespace pipetop::tui

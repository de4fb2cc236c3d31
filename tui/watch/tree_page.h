// What a process has started, as a tree over the pipeline's panels.
#pragma once

#include "engine/model/process_tree.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

void draw_tree(Canvas& canvas, const Rect& rect, const ProcessTreeView& tree, int scroll);

// How far it can be scrolled.
int tree_scroll_end(const Rect& rect, const ProcessTreeView& tree);

}  // namespace pipetop::tui

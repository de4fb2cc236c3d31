// Where the stages and rings of a pipeline are on the screen: arithmetic only.
#pragma once

#include <cstddef>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/watch/chain.h"

namespace pipetop::tui {

struct PlacedItem {
  size_t item = 0;  // of the chain
  Rect rect;        // in the chain's area
};

struct ChainLayout {
  enum class Form : uint8_t {
    across,  // boxes from left to right, rings between them
    boxes,   // boxes below each other
    lines,   // a line for each stage
  } form = Form::lines;
  std::vector<PlacedItem> items;  // that are visible
  size_t scroll = 0;              // the first of them
  size_t above = 0, below = 0;    // that can be selected, but are not visible
  size_t holders_left = 0;        // in the place of the last holder there is their number
  int rows = 0;                   // used
};

// In an area of this size, with the item `selected` in view; `scroll` is where it was. It takes as
// many rows as help, but no more than there are.
ChainLayout chain_layout(const Chain& chain, int rows, int cols, size_t selected, size_t scroll);

// Rows of the shortest form that has boxes, or that shows everything.
int least_chain_rows(const Chain& chain, int cols);

}  // namespace pipetop::tui

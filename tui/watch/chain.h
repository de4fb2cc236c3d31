// A pipeline as a list of what is drawn, in the order of the flow: a chain, or a tree where it
// forks and joins; and where that is on the screen.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "engine/model/pipeline.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// What can be selected: a stage, or a ring.
using Node = std::variant<ProcessId, PipeId>;

struct ChainItem {
  enum class Kind : uint8_t { stage, ring, holder, ended } kind = Kind::stage;
  // Of the pipeline's stages or pipes; of a holder: the stage; of `ended`: how many stages, all of
  // whose pipes are closed while others are open, have exited. These and their pipes aren't drawn.
  size_t index = 0;
  int depth = 0;    // behind how many forks
  size_t pipe = 0;  // of a holder: the pipe of which it holds an unused end
};

struct Chain {
  // One stage after the other, with a ring between two of them: it can be drawn from left to right.
  bool straight = true;
  std::vector<ChainItem> items;  // what has ended, and holders, last

  size_t nodes() const;  // items that can be selected: all but these
};

Chain make_chain(const Pipeline& pipeline);

Node node_of(const Pipeline& pipeline, const ChainItem& item);

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

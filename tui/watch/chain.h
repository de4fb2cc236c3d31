// A pipeline as a list of what is drawn, in the order of the flow: a chain, or a tree where it
// forks and joins.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "engine/watch/pipeline.h"

namespace pipetop::tui {

// What can be selected: a stage, or a ring.
using Node = std::variant<ProcessId, PipeId>;

struct ChainItem {
  enum class Kind : uint8_t { stage, ring, holder } kind = Kind::stage;
  size_t index = 0;  // of the pipeline's stages or pipes; of a holder: the stage
  int depth = 0;     // behind how many forks
  size_t pipe = 0;   // of a holder: what it holds an end of, but never moved a byte of
};

struct Chain {
  // One stage after the other, with a ring between two of them: it can be drawn from left to right.
  bool straight = true;
  std::vector<ChainItem> items;  // holders last

  size_t nodes() const;  // items that can be selected: all but holders
};

Chain make_chain(const Pipeline& pipeline);

Node node_of(const Pipeline& pipeline, const ChainItem& item);

}  // namespace pipetop::tui

// Stacks folded into a tree, from the outermost caller down to the running
// function: every place in it is one call chain.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/model/functions.h"

namespace pipetop::observe {

class CallTrie {
 public:
  // A place keeps its number until clear(); callers have lower numbers than their callees.
  using Place = uint32_t;
  static constexpr Place kNowhere = CallNode::kNone;
  // The limit of places, about 2 MB. Thousands are usual, but interrupts can happen
  // anywhere, and a segment can last for days.
  static constexpr size_t kMaxPlaces = 1 << 15;

  // The place of a stack, running function first. An empty one is the root "[user]"; once the trie
  // is full, every new stack is "[other]".
  Place place_of(std::span<const Function> stack);

  size_t places() const { return nodes_.size(); }
  void clear();

  // The tree of the places that have weight. `self` is by place: the weight of the
  // stacks that end there.
  CallTree tree(std::span<const uint64_t> self) const;

 private:
  struct Node {
    Function function;
    Place caller;  // kNowhere for a root
  };
  Place callee(Place caller, Function function);

  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, Place> callees_;  // by caller and function
};

}  // namespace pipetop::observe

// From the addresses of a sample to its place in the tree. Most samples share a few
// distinct stacks, so each stack is symbolised once and then recognised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/observe/call_counter.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {

class RawStacks {
 public:
  RawStacks();

  // Addresses are leaf first; none: in user mode. Places belong to `counter`, which
  // must stay the same until forget().
  CallCounter::Place place_of(std::span<const uint64_t> addresses, const Symbols& symbols,
                              CallCounter& counter);

  // To be called with CallCounter::clear(): places are renumbered.
  void forget();

 private:
  struct Known {
    uint64_t hash = 0;
    CallCounter::Place place = CallTrie::kNowhere;
  };

  std::vector<Known> known_;     // of a fixed size, by hash; newer entries replace older ones
  std::vector<Function> stack_;  // of the current sample
};

}  // namespace pipetop::observe

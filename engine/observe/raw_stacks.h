// From the addresses of a sample to its place in the tree. Few distinct stacks make
// up most samples, so that each is symbolised once and then only recognised.
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

  // Addresses are leaf first; none: in user mode. The places are those of
  // `counter`, which must be the same until forget().
  CallCounter::Place place_of(std::span<const uint64_t> addresses, const Symbols& symbols,
                              CallCounter& counter);

  // To be called with CallCounter::clear(): places are given anew.
  void forget();

 private:
  struct Known {
    uint64_t hash = 0;
    CallCounter::Place place = CallTrie::kNowhere;
  };

  std::vector<Known> known_;     // of a fixed size, by hash; the newer displaces the older
  std::vector<Function> stack_;  // of the sample at hand
};

}  // namespace pipetop::observe

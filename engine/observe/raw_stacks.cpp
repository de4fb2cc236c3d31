#include "engine/observe/raw_stacks.h"

namespace pipetop::observe {
namespace {

constexpr size_t kKnown = 8192;  // 128 KB; a power of 2

// The addresses themselves are not kept: of all the stacks that a machine runs in
// its life, two with one hash of 64 bits are not to be expected.
uint64_t hash_of(std::span<const uint64_t> addresses) {
  uint64_t hash = addresses.size();
  for (const uint64_t address : addresses) {
    hash = (hash ^ address) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

RawStacks::RawStacks() : known_(kKnown) {}

void RawStacks::forget() { known_.assign(kKnown, {}); }

CallCounter::Place RawStacks::place_of(std::span<const uint64_t> addresses, const Symbols& symbols,
                                       CallCounter& counter) {
  const uint64_t hash = hash_of(addresses);
  Known& known = known_[hash % kKnown];
  if (known.hash == hash && known.place != CallTrie::kNowhere) return known.place;
  symbolise(addresses, symbols);
  known = {hash, counter.place_of(stack_)};
  return known.place;
}

void RawStacks::symbolise(std::span<const uint64_t> addresses, const Symbols& symbols) {
  stack_.clear();
  for (const uint64_t address : addresses) {
    // Above the leaf stand return addresses; one of a call that never returns
    // would lie in the next function.
    const bool leaf = stack_.empty();
    const FunctionId function = symbols.find(leaf ? address : address - 1);
    // Static functions of several files share names, and nobody could tell them apart.
    const std::string name(symbols.name(function));
    stack_.push_back(function_of_name_.try_emplace(name, function).first->second);
  }
}

}  // namespace pipetop::observe

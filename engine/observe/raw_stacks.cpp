#include "engine/observe/raw_stacks.h"

namespace pipetop::observe {
namespace {

constexpr size_t kKnown = 8192;  // 128 KB; a power of 2

// The addresses themselves are not kept: a collision of 64-bit hashes is not to be
// expected.
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
  stack_.clear();
  for (const uint64_t address : addresses) {
    // Above the leaf are return addresses; that of a call that never returns would
    // be in the next function.
    const bool leaf = stack_.empty();
    stack_.emplace_back(symbols.name_at(leaf ? address : address - 1));
  }
  known = {hash, counter.place_of(stack_)};
  return known.place;
}

}  // namespace pipetop::observe

// Stacks folded into trees: samples of what a process runs, and what it sleeps in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/model/functions.h"
#include "engine/model/settings.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {

// From the outermost caller down to the running function: every place in it is one call chain.
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

// ---- samples of a process ----

struct StackSample {
  uint64_t at_ns = 0;
  Role role = Role::writer;
  std::span<const uint64_t> addresses;  // leaf first; empty: in user mode
};

// From a record of bpf/sampler.h, which it refers to; nothing if the record is malformed.
std::optional<StackSample> sample_of(const void* record, size_t bytes);

enum class Span : uint8_t {
  window,   // the last seconds
  segment,  // all since the last change
};

// Counts over two spans: a rolling window, and everything since the last clear(). A sample counts
// by the time that it stands for, or a second with many ticks would say more than one with few. It
// costs a few additions when it arrives and when it leaves the window, however long the window is.
class CallCounter {
 public:
  using Place = CallTrie::Place;

  // Samples never leave a window of 0, nor, unless they are old, if fewer than `enough` would stay.
  explicit CallCounter(uint64_t window_ns, uint64_t enough = 0);

  // The place of a stack in the tree, running function first; valid until clear().
  Place place_of(std::span<const Function> stack) { return trie_.place_of(stack); }
  // The same from addresses, leaf first; none: in user mode.
  Place place_of(std::span<const uint64_t> addresses, const Symbols& symbols);

  // It stands for so much time, at most four seconds.
  void add(uint64_t at_ns, Place place, uint32_t ns);
  void add_lost(uint64_t at_ns, uint64_t samples);

  // Removes what is older than the window. If that leaves too few samples, it grows, up to twelve
  // times its length.
  void expire(uint64_t now_ns);
  void clear();

  uint64_t samples(Span span) const { return of(span).samples; }
  FunctionTable table(Span span) const;

 private:
  struct SpanCounts {
    uint64_t samples = 0, lost = 0;
    uint64_t ns = 0, squares_us2 = 0;  // what the samples stand for: the sum, and that of squares
    std::vector<uint64_t> self_ns;     // by place
    uint64_t first_ns = 0;             // when the first one was taken
  };
  struct Remembered {
    uint64_t at_ns;
    Place place;  // kNowhere: samples that were lost,
    uint32_t n;   // so many; else the time that the sample stands for
  };

  // Most samples share a few distinct stacks, so each is symbolised once and then recognised.
  struct Known {
    uint64_t hash = 0;
    Place place = CallTrie::kNowhere;
  };

  uint64_t span_ns(Span span) const;
  static double efficiency(const SpanCounts& counts);
  SpanCounts& of(Span span) { return counts_[static_cast<size_t>(span)]; }
  const SpanCounts& of(Span span) const { return counts_[static_cast<size_t>(span)]; }

  uint64_t window_ns_, enough_;
  CallTrie trie_;
  std::vector<Known> known_;          // of a fixed size, by hash; newer ones replace older ones
  std::vector<Function> stack_;       // of the current sample
  std::array<SpanCounts, 2> counts_;  // by Span
  uint64_t last_ns_ = 0;              // when the last sample was taken
  std::deque<Remembered> window_;     // oldest first, except for slight disorder between CPUs
};

// ---- sleeps ----

// Where a role slept, and for how long: cumulative totals.
struct Sleeps {
  uint64_t ns = 0;
  uint64_t times = 0;              // how often it went to sleep
  uint64_t lost = 0, lost_ns = 0;  // sleeps whose stack could not be kept

  // By place, see SchedReader::stack(): sleeps of a millisecond or more, and
  // shorter ones. If there are too many short ones, a random sample represents
  // them, so the second is an estimate.
  std::vector<uint64_t> long_ns, short_ns;
};

// The functions in which a task sleeps, innermost first, from the addresses of a
// stack taken when it switched away.
std::vector<Function> sleeping_stack(std::span<const uint64_t> addresses, const Symbols& symbols);

// The difference between `now` and `before`. `stack_of` returns the addresses of a
// place. The tree's weight is exactly `ns`: estimates are scaled to fit, and time
// whose stack was lost is a separate root, "[unknown]".
BlockedTable blocked_table(const Sleeps& now, const Sleeps& before,
                           const std::function<std::span<const uint64_t>(size_t)>& stack_of,
                           const Symbols& symbols);

}  // namespace pipetop::observe

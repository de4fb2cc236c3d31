// Counts functions over a rolling window of stack samples: each sample is added
// when it comes and taken away when it leaves, so that a frame of the screen
// costs what changed, not what is remembered.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/observe/symbols.h"

namespace pipetop::observe {

class FunctionCounter {
 public:
  explicit FunctionCounter(uint64_t window_ns);  // 0: samples never leave

  // One sample: the functions of its stack, the running one first.
  void add(uint64_t at_ns, std::span<const FunctionId> stack);

  // Takes away the samples that are older than the window.
  void expire(uint64_t now_ns);
  void clear();

  uint64_t samples() const { return samples_; }

  struct Row {
    FunctionId function = kUnknownFunction;
    uint64_t self = 0;
    uint64_t children = 0;  // samples with it anywhere on the stack
  };
  std::vector<Row> rows() const;  // most self first, then most children

 private:
  struct StackHash {
    using is_transparent = void;
    size_t operator()(std::span<const FunctionId> stack) const;
  };
  struct StackEqual {
    using is_transparent = void;
    bool operator()(std::span<const FunctionId> a, std::span<const FunctionId> b) const;
  };
  // Equal stacks are kept once while a sample in the window has them: hours of
  // sampling hold no more memory than a window does.
  using Stacks = std::unordered_map<std::vector<FunctionId>, uint32_t, StackHash, StackEqual>;

  struct Remembered {
    uint64_t at_ns;
    Stacks::value_type* stack;  // nodes do not move
  };

  enum class Sign { add, subtract };
  void count(std::span<const FunctionId> stack, Sign sign);

  uint64_t window_ns_;
  uint64_t samples_ = 0;
  std::unordered_map<FunctionId, Row> functions_;
  Stacks stacks_;
  std::deque<Remembered> window_;  // oldest first, but for the CPUs' small disorder
};

}  // namespace pipetop::observe

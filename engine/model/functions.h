// Where a role's time goes, as values: by function, and as a tree from callers
// to callees.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pipetop {

// One place in the tree: a function as called through its parents. Weights are
// samples, or nanoseconds, as the owner of the tree says.
struct CallNode {
  static constexpr uint32_t kNone = 0xffff'ffff;

  uint32_t function = 0;    // index of CallTree::functions
  uint32_t parent = kNone;  // index of CallTree::nodes, lower than its own; kNone for a root
  uint64_t self = 0;        // weight of the stacks that end here
  uint64_t total = 0;       // and of those that pass through
};

struct CallTree {
  std::vector<std::string> functions;  // distinct names, "[user]" among them
  std::vector<CallNode> nodes;         // parents before their children
  uint64_t total = 0;                  // of all roots
};

struct FunctionRow {
  std::string name;  // kernel function, or "[user]"
  uint64_t self_samples = 0;
  uint64_t children_samples = 0;  // samples with it anywhere on the stack
};

// What a role was running.
struct FunctionTable {
  uint64_t samples = 0;
  uint64_t lost = 0;
  std::vector<FunctionRow> rows;         // by self_samples, most first
  std::shared_ptr<const CallTree> tree;  // weights are samples; null if not kept

  double share(uint64_t n) const { return samples ? double(n) / double(samples) : 0.0; }
};

// What a role was waiting in, off the CPU and not runnable. Where it slept some
// hundreds of times a second or more, a part of the short sleeps stands in the tree
// for the others.
struct BlockedTable {
  uint64_t ns = 0;                       // in all
  uint64_t times = 0;                    // that it went to sleep
  uint64_t lost = 0;                     // sleeps whose stack could not be kept: "[unknown]"
  std::shared_ptr<const CallTree> tree;  // weights are nanoseconds; never null
};

struct SamplingEvent {
  std::string name;  // "cycles" or "cpu-clock"
  uint32_t hz = 0;
};

}  // namespace pipetop

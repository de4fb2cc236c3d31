// Where a role's time goes, as values: by function, and as a tree from callers
// to callees.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/reading.h"

namespace pipetop {

// A kernel function, or "[user]" and the like. Functions with the same name count as one: they
// cannot be told apart. A name keeps its number while the process runs, so that trees are made,
// merged and compared without text. For a single thread only.
class Function {
 public:
  explicit Function(std::string_view name);

  uint32_t number() const { return number_; }  // less than count()
  std::string_view name() const;               // stays valid
  bool operator==(const Function&) const = default;

  static size_t count();  // that have a number

 private:
  uint32_t number_;
};

// A node of the tree: a function as called through its parents. Weights are samples
// or nanoseconds, depending on the tree.
struct CallNode {
  static constexpr uint32_t kNone = 0xffff'ffff;

  Function function;
  uint32_t parent = kNone;  // index of CallTree::nodes, lower than its own; kNone for a root
  uint64_t self = 0;        // weight of the stacks that end here
  uint64_t total = 0;       // and of those that pass through it
};

struct CallTree {
  std::vector<CallNode> nodes;  // parents before their children
  uint64_t total = 0;           // of all roots
  bool paths = true;            // false: callers were not recorded, see flat_tree()

  // Whether its function is not called by itself at any level (no recursion).
  bool is_topmost(const CallNode& node) const;
};

struct FunctionRow {
  std::string_view name;
  uint64_t self_samples = 0;
  uint64_t children_samples = 0;  // samples with it anywhere on the stack
};

// The functions of a tree, by descending self_samples. A recursive function counts
// once per stack.
std::vector<FunctionRow> function_rows(const CallTree& tree);

// A tree of roots only, which has the same rows.
std::shared_ptr<const CallTree> flat_tree(const std::vector<FunctionRow>& rows);

// A share is known well enough if it may be wrong by this.
inline constexpr double kShareError = 0.03;

// The functions that a role was running.
struct FunctionTable {
  uint64_t samples = 0;
  uint64_t lost = 0;
  // Weights are shares of the time, in samples; never null.
  std::shared_ptr<const CallTree> tree = std::make_shared<const CallTree>();
  // Samples count by the time that each stands for: this share of them, of equal weight, would tell
  // as much (Kish's effective sample size).
  double efficiency = 1;
  uint64_t span_ns = 0;  // from the first sample to the last; 0: unknown

  uint64_t effective_samples() const {
    return uint64_t(std::llround(double(samples) * efficiency));
  }
  // By so much a share may be wrong, with a confidence of 95 %: that of a half, others by less.
  double share_error() const;
  // How much longer it takes until that is less than kShareError, at this pace.
  uint64_t ns_until_exact() const;
  std::vector<FunctionRow> rows() const { return function_rows(*tree); }
  double share(uint64_t n) const { return samples ? double(n) / double(samples) : 0.0; }
};

// The functions in which a role was blocked. If it slept hundreds of times a
// second, a sample of the short sleeps represents the others in the tree.
struct BlockedTable {
  uint64_t ns = 0;     // in all
  uint64_t times = 0;  // how often it went to sleep
  uint64_t lost = 0;   // sleeps whose stack could not be stored: "[unknown]"
  // Weights are nanoseconds; never null.
  std::shared_ptr<const CallTree> tree = std::make_shared<const CallTree>();
};

// The name of a timer interrupt as an event: it has to wait while interrupts are off.
inline constexpr std::string_view kTimerEvent = "cpu-clock";

// What looking costs of the throughput, as a share, and its interval, with a confidence of 95 %.
// Below 0: it speeds the run up.
struct Price {
  double share = 0, low = 0, high = 0;

  Price operator+(const Price& other) const {
    return {share + other.share, low + other.low, high + other.high};
  }
};

struct SamplingEvent {
  std::string name;  // "cycles" or "cpu-clock"
  uint32_t hz = 0;   // on each CPU
  double share = 1;  // of the time, in slices; in between there are only a few ticks
  // What the ticks cost, by that of one; after some slices it is measured on this pipe, by the
  // rate between them, in the workload's unit. And what the programs at context switches take.
  Reading<double> price = {}, between_ticks = {};
  double price_low = 0, price_high = 0;  // its interval

  void set_price(const Reading<Price>& known);

  std::string rate() const;  // "299 Hz", "999 Hz 10 % of the time"
  std::string cost() const;  // ", costs 4.0 % [2.4 .. 5.6]"; "" while it is not known
};

}  // namespace pipetop

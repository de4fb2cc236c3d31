// Where the time of a segment went: for each role how long an item (a byte, a rule) took, by the
// kind of work; and two segments side by side: what their difference is made of. Unknown times are
// absent, never 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/judge/glossary.h"
#include "engine/model/segment.h"
#include "engine/model/tables.h"

namespace pipetop {

// For one item, with the variance of a share that was found by samples.
struct ItemTime {
  double ns = 0, variance = 0;
};

struct RoleSpending {
  Role role = Role::writer;
  double wall_ns = 0;                               // for one item, of all its processes
  double on_cpu_ns = 0;                             // of it, if known
  std::optional<double> on_cpu, runnable, blocked;  // shares of it
  uint64_t samples = 0;
  std::array<std::optional<ItemTime>, kWorks> times;  // by Work
  const FunctionTable* functions = nullptr;           // of its segment, which outlives this
  std::optional<RoleTotals> totals;

  const std::optional<ItemTime>& time(Work work) const { return times[static_cast<size_t>(work)]; }
  double known_ns(Work work) const { return time(work) ? time(work)->ns : 0; }

  // As if it never waited for a CPU.
  void leave_out_runnable();

  // Neither waiting for the other one, nor for a lock, nor for a CPU.
  std::optional<ItemTime> busy() const;
  // The share of its time that it waits: asleep, for a lock, or asking in vain. At least.
  double waits() const;
};

// Works that are waiting.
bool is_waiting(Work work);

// Nothing while the rate of the segment is unknown, or 0.
std::optional<RoleSpending> spending_of(const Segment& segment, Role role, const Unit& unit);

// One role, before and after.
struct RolePair {
  Role role = Role::writer;
  RoleSpending before, after;
};

// So much more time without a CPU is a cause by itself.
inline constexpr double kMuchRunnable = 0.2;

// Whether a part of the difference is at least half of it.
enum class Half : uint8_t {
  yes,
  no,
  more_samples,  // not known yet
  never,         // nor will it be: the segment before had too few samples
};

// The samples of a function itself, or of all below it, too.
enum class Below : uint8_t { itself, callees };

// The time in one function, wherever it was called.
struct FunctionGain {
  std::string_view name;
  ItemTime gain;       // how much less time the fast one takes
  double slow_ns = 0;  // that the slow one takes
};

class Comparison {
 public:
  // Both have a rate above 0, and outlive it.
  Comparison(const Segment& before, const Segment& after, const WorkloadTerms& terms);

  const Segment& before() const { return before_; }
  const Segment& after() const { return after_; }
  const WorkloadTerms& terms() const { return terms_; }
  const std::vector<RolePair>& roles() const { return roles_; }

  bool faster() const { return faster_; }
  double whole_ns() const { return whole_ns_; }  // of the time for an item: the difference

  const RoleSpending& slow(const RolePair& pair) const {
    return faster_ ? pair.before : pair.after;
  }
  const RoleSpending& fast(const RolePair& pair) const {
    return faster_ ? pair.after : pair.before;
  }

  // The role that waits less while the pipe is slow; it sets the pace.
  const RolePair& limiting() const { return roles_[limiting_]; }
  // It waits, too: then the two take turns, and the work of each counts.
  bool take_turns() const { return take_turns_; }
  bool counts(const RolePair& pair) const { return take_turns_ || &pair == &limiting(); }

  // How much less time the fast one takes for it; absent if that is unknown.
  std::optional<ItemTime> gain(const RolePair& pair, Work work) const;
  // Sums the gain of all roles that count.
  std::optional<ItemTime> gain(Work work) const;
  // What the limiting one sleeps, without what another one works meanwhile.
  std::optional<ItemTime> gain_of_sleep() const;

  Half is_half(const ItemTime& gain) const;

  // The gains of all functions; none without samples.
  std::vector<FunctionGain> functions(const RolePair& pair, Below below) const;

 private:
  std::optional<ItemTime> gain_of(const std::optional<ItemTime>& before,
                                  const std::optional<ItemTime>& after) const;

  const Segment &before_, &after_;
  const WorkloadTerms& terms_;
  std::vector<RolePair> roles_;
  size_t limiting_ = 0;
  bool faster_ = true, take_turns_ = false;
  double whole_ns_ = 0;
};

// The innermost of the functions with at least so much gain, nullptr if there is none.
const FunctionGain* innermost(const std::vector<FunctionGain>& functions, double least_ns);

}  // namespace pipetop

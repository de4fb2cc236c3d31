// Where the time of a segment went: for each role how long an item (a byte, a rule) took, by the
// kind of work. Unknown times are absent, never 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

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

}  // namespace pipetop

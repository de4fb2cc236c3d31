// What all rules share: which numbers are known well enough, and what they say. And the numbers of
// our own pipe that its verdict is based on; those of a pipeline are in wait_graph.h. Unknown or
// uncertain ones are absent, never 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/model/snapshot.h"

namespace pipetop {

// Two standard errors of a share of this many samples are at most 5 points (2 *
// sqrt(0.5 * 0.5 / 400)); no rule is finer than that.
inline constexpr uint64_t kEnoughSamples = 400;

// Runnable for so much of the time, a process would do more with more of a CPU.
inline constexpr double kLacksCpu = 0.25;

// Who asks so often in vain does nothing else. Calls that move nothing are short, so even many take
// little time: one that moves data may well take as long as ten that do not. The dearer a system
// call is, the fewer fit into the same wait, so this may miss a wait, but cannot make one up.
inline constexpr double kInVain = 0.9;

// "38 %", "<1 %": a share in a sentence.
inline constexpr auto percent = whole_percent_text;

template <class T>
std::optional<T> known(const Reading<T>& reading) {
  return reading.status == ReadingStatus::ok ? reading.value : std::nullopt;
}

// Parts of the time asleep.
struct SleepParts {
  double mutex = 0;  // for a mutex
  double away = 0;   // stopped or frozen, or a page had to be made or read
};
// Nothing of who was never seen asleep.
std::optional<SleepParts> sleep_parts(const Reading<BlockedTable>& blocked);

// The largest share of the samples in one function that is so. They call each other, so that their
// shares must not be added up.
template <class Test>
double share_within(const FunctionTable& table, const std::vector<FunctionRow>& rows, Test test) {
  uint64_t most = 0;
  for (const FunctionRow& row : rows)
    if (test(row.name)) most = std::max(most, row.children_samples);
  return table.share(most);
}

// What the first of the rules says that says something of what is seen.
template <class Rule, class Seen>
std::optional<Verdict> first_of(std::initializer_list<Rule> rules, const Seen& seen) {
  for (const Rule rule : rules)
    if (auto verdict = rule(seen)) return verdict;
  return {};
}

// ---- our own pipe ----

// Contention for less of the time than this does not matter.
inline constexpr double kContends = 0.25;

// How long a role waits for the other one, by the kind of wait.
struct Waiting {
  enum class Of { time, polls, calls };

  double share = 0;
  Of of = Of::time;
  const char* words = "blocked";
};

// Shares are of the wall time.
struct RoleEvidence {
  Role role = Role::writer;
  std::optional<double> on_cpu, runnable, blocked;
  std::optional<double> sleep_ns;  // a sleep's mean length
  std::optional<double> bytes_per_switch;
  std::optional<double> contends;  // at least: spins on a lock, or sleeps on the pipe's mutex
  std::optional<double> sleeps_for_mutex;  // the sleeping part of it
  std::optional<double> away;              // asleep, but for neither the other role nor a lock
  bool spin_lock = false;                  // a lock other than the pipe's mutex
  std::optional<Waiting> waits;
  std::optional<int> cpu;
};

struct RingEvidence {
  double empty_share = 0, full_share = 0;  // of the time
};

struct Evidence {
  std::array<RoleEvidence, kRoles> roles;  // by Role
  std::optional<RingEvidence> ring;        // absent, too, if known from FIONREAD only
  std::vector<std::string> thin;           // what needs more samples: "ring: 30 of 400 samples"
  std::vector<std::string> unknown;        // what is not available, and why

  const RoleEvidence& role(Role r) const { return roles[static_cast<size_t>(r)]; }
};

Evidence gather_evidence(const Snapshot& s);

}  // namespace pipetop

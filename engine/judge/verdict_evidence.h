// The numbers of a Snapshot that a verdict is based on. Unknown or uncertain ones
// are absent, never 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop {

// Two standard errors of a share of this many samples are at most 5 points (2 *
// sqrt(0.5 * 0.5 / 400)); no rule is finer than that.
inline constexpr uint64_t kEnoughSamples = 400;

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

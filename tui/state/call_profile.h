// The data of a function list: where a role ran or waited, and what 100 % means.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/model/snapshot.h"

namespace pipetop::tui {

struct CallProfile {
  // What fills up the wall time in addition to the tree.
  struct Part {
    std::string_view name;  // "[blocked]"; "": none
    double share = 0;
    bool operator==(const Part&) const = default;
  };

  std::shared_ptr<const CallTree> tree;  // never null
  uint64_t whole = 0;                    // the total weight
  double scale = 1;                      // the total as a share of the reference; 1 of itself
  std::array<Part, 2> beside;

  bool operator==(const CallProfile&) const = default;
};

inline CallProfile profile_of(const FunctionTable& functions) {
  return {functions.tree, functions.samples, 1, {}};
}
inline CallProfile profile_of(const BlockedTable& blocked) {
  return {blocked.tree, blocked.ns, 1, {}};
}

enum class Activity : uint8_t { running, waiting };

// The profile as shares of wall time; unavailable if the shares are unknown.
Reading<CallProfile> of_wall_time(CallProfile profile, Activity activity, const TimeShares& wall);

}  // namespace pipetop::tui

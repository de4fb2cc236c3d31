// The reference for the numbers on the screen: the segment kept as A, else the
// previous one.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "tui/state/call_profile.h"

namespace pipetop::tui {

struct Reference {
  std::shared_ptr<const Segment> segment;  // null: there is nothing to compare with
  bool is_a = false;
  // None if nothing is known.
  std::array<std::optional<CallProfile>, kRoles> running, waiting;  // by Role

  std::string_view name() const { return !segment ? "" : is_a ? "A" : "prev"; }
  const std::optional<CallProfile>& of(Role role, Activity activity) const {
    return (activity == Activity::running ? running : waiting)[static_cast<size_t>(role)];
  }
};

Reference reference_of(std::shared_ptr<const Segment> segment, bool is_a = false);

// The same as shares of wall time, if its parts are known.
std::optional<CallProfile> reference_profile(const Reference& reference, Role role,
                                             Activity activity, bool wall);

}  // namespace pipetop::tui

// What the numbers on the screen are compared with: the segment that was frozen as
// A, else the one before the present.
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
  // None where nothing is known.
  std::array<std::optional<CallProfile>, kRoles> running, waiting;  // by Role

  std::string_view name() const { return !segment ? "" : is_a ? "A" : "prev"; }
  const std::optional<CallProfile>& of(Role role, Activity activity) const {
    return (activity == Activity::running ? running : waiting)[static_cast<size_t>(role)];
  }
};

Reference reference_of(std::shared_ptr<const Segment> segment, bool is_a = false);

// The same as shares of the wall time, as far as its parts are known.
std::optional<CallProfile> reference_profile(const Reference& reference, Role role,
                                             Activity activity, bool wall);

}  // namespace pipetop::tui

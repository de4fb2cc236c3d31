#include "tui/state/reference.h"

#include <utility>

namespace pipetop::tui {
namespace {

template <class Table>
std::optional<CallProfile> known_profile(const Reading<Table>& table) {
  if (!table.has_value()) return std::nullopt;
  CallProfile profile = profile_of(*table);
  if (profile.whole == 0) return std::nullopt;
  return profile;
}

}  // namespace

Reference reference_of(std::shared_ptr<const Segment> segment, bool is_a) {
  Reference reference;
  reference.segment = std::move(segment);
  reference.is_a = is_a;
  if (!reference.segment) return reference;
  for (size_t role = 0; role < kRoles; ++role) {
    reference.running[role] = known_profile(reference.segment->roles[role].functions);
    reference.waiting[role] = known_profile(reference.segment->roles[role].blocked);
  }
  return reference;
}

std::optional<CallProfile> reference_profile(const Reference& reference, Role role,
                                             Activity activity, bool wall) {
  const std::optional<CallProfile>& profile = reference.of(role, activity);
  if (!profile || !wall) return profile;
  return of_wall_time(*profile, activity, reference.segment->role(role).shares).value;
}

}  // namespace pipetop::tui

#include "tui/state/call_profile.h"

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

const std::optional<FunctionRow>& TopFunctions::of(const FunctionTable& functions) const {
  const auto [entry, is_new] = found_.try_emplace(Tree(functions.tree));
  if (is_new) {
    const std::vector<FunctionRow> rows = functions.rows();
    if (!rows.empty()) entry->second = rows.front();
    std::erase_if(found_, [](const auto& other) { return other.first.expired(); });
  }
  return entry->second;
}

Reading<CallProfile> of_wall_time(CallProfile profile, Activity activity, const TimeShares& wall) {
  for (const Reading<double>* part : {&wall.on_cpu, &wall.runnable, &wall.blocked}) {
    if (!part->has_value()) return {part->status, {}, part->reason};
  }
  const bool running = activity == Activity::running;
  profile.scale = running ? *wall.on_cpu : *wall.blocked;
  profile.beside = {{{running ? "[blocked]" : "[running]", running ? *wall.blocked : *wall.on_cpu},
                     {"[runnable]", *wall.runnable}}};
  return Reading<CallProfile>::of(std::move(profile));
}

WalkedTree::WalkedTree(const CallProfile& profile)
    : profile_(&profile), next_(nodes().size(), kNone), first_(nodes().size(), kNone) {
  for (size_t i = nodes().size(); i-- > 0;) {
    uint32_t& head = nodes()[i].parent == kNone ? root_ : first_[nodes()[i].parent];
    next_[i] = std::exchange(head, static_cast<uint32_t>(i));
  }
}

double WalkedTree::share(uint64_t weight) const {
  if (profile_->whole == 0) return 0;
  return static_cast<double>(weight) / static_cast<double>(profile_->whole) * profile_->scale;
}

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

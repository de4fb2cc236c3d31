#include "tui/state/call_profile.h"

#include <utility>

namespace pipetop::tui {
namespace {

std::shared_ptr<const CallTree> tree_of(const std::vector<FunctionRow>& rows) {
  auto tree = std::make_shared<CallTree>();
  for (const FunctionRow& row : rows) {
    tree->nodes.push_back({static_cast<uint32_t>(tree->functions.size()), CallNode::kNone,
                           row.self_samples, row.children_samples});
    tree->functions.push_back(row.name);
  }
  return tree;
}

}  // namespace

CallProfile profile_of(const FunctionTable& functions) {
  const bool paths = functions.tree != nullptr;
  return {paths ? functions.tree : tree_of(functions.rows), paths, functions.samples, 1, {}};
}

CallProfile profile_of(const BlockedTable& blocked) {
  return {
      blocked.tree ? blocked.tree : std::make_shared<const CallTree>(), true, blocked.ns, 1, {}};
}

Reading<CallProfile> of_wall_time(CallProfile profile, Activity activity, const WallTime& wall) {
  for (const Reading<double>* part : {&wall.on_cpu, &wall.runnable, &wall.blocked}) {
    if (!part->has_value()) return {part->status, {}, part->reason};
  }
  const bool running = activity == Activity::running;
  profile.scale = running ? *wall.on_cpu : *wall.blocked;
  profile.beside = {{{running ? "[blocked]" : "[running]", running ? *wall.blocked : *wall.on_cpu},
                     {"[runnable]", *wall.runnable}}};
  return Reading<CallProfile>::of(std::move(profile));
}

}  // namespace pipetop::tui

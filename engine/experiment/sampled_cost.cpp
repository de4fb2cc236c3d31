#include "engine/experiment/sampled_cost.h"

#include <algorithm>
#include <vector>

namespace pipetop {
namespace {

// Old names all of them; what the lock's inner functions are called changes.
bool waits_or_wakes(std::string_view function) {
  constexpr std::string_view kBeginnings[] = {
      "mutex_", "__mutex_", "schedule", "__schedule", "__wake_up", "__cond_resched", "pipe_wait"};
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view b) { return function.starts_with(b); });
}

}  // namespace

double working_share(const CallTree& tree, std::string_view call) {
  enum : uint8_t { outside, working, waiting };
  std::vector<uint8_t> where(tree.nodes.size(), outside);
  uint64_t found = 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    const std::string_view name = node.function.name();
    if (node.parent != CallNode::kNone) where[i] = where[node.parent];
    if (where[i] == outside && name.find(call) != name.npos) where[i] = working;
    if (where[i] == working && waits_or_wakes(name)) where[i] = waiting;
    if (where[i] == working) found += node.self;
  }
  return tree.total == 0 ? 0 : double(found) / double(tree.total);
}

}  // namespace pipetop

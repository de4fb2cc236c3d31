#include "tui/print/print_folded.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace pipetop::tui {

std::string print_folded(std::string_view root, const CallTree& tree) {
  std::vector<std::string> stacks, lines;
  for (const CallNode& node : tree.nodes) {
    const std::string_view caller = node.parent == CallNode::kNone ? root : stacks[node.parent];
    stacks.push_back(fmt::format("{};{}", caller, node.function.name()));
    if (node.self > 0) lines.push_back(fmt::format("{} {}\n", stacks.back(), node.self));
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace pipetop::tui

#include "tui/print/call_tree_json.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pipetop::tui {
namespace {

class TreeJson {
 public:
  TreeJson(const CallTree& tree, const std::string& unit)
      : tree_(tree), unit_(unit), callees_(tree.nodes.size()) {
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const uint32_t caller = tree.nodes[i].parent;
      (caller == CallNode::kNone ? roots_ : callees_[caller]).push_back(i);
    }
  }

  Json json() { return list(roots_); }

 private:
  std::string_view name(uint32_t i) const { return tree_.nodes[i].function.name(); }
  Json share(uint64_t weight) const { return rounded(double(weight) / double(tree_.total)); }

  Json list(std::vector<uint32_t>& nodes) {
    std::ranges::sort(nodes, [this](uint32_t a, uint32_t b) {
      return std::pair(tree_.nodes[b].total, name(a)) < std::pair(tree_.nodes[a].total, name(b));
    });
    Json json = Json::array();
    for (const uint32_t i : nodes) json.push_back(object(i));
    return json;
  }

  Json object(uint32_t i) {
    const CallNode& node = tree_.nodes[i];
    return {{"name", name(i)},
            {"self_" + unit_, node.self},
            {"total_" + unit_, node.total},
            {"self_share", share(node.self)},
            {"total_share", share(node.total)},
            {"children", list(callees_[i])}};
  }

  const CallTree& tree_;
  const std::string& unit_;
  std::vector<std::vector<uint32_t>> callees_;  // by node
  std::vector<uint32_t> roots_;
};

}  // namespace

Json call_tree_json(const CallTree& tree, const std::string& unit) {
  return TreeJson(tree, unit).json();
}

}  // namespace pipetop::tui

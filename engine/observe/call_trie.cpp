#include "engine/observe/call_trie.h"

#include <algorithm>
#include <tuple>

namespace pipetop::observe {
namespace {

uint64_t key_of(CallTrie::Place caller, FunctionId function) {
  return uint64_t{caller} << 32 | function;
}

bool is_called_by_itself(const CallTree& tree, const CallNode& node) {
  for (uint32_t i = node.parent; i != CallNode::kNone; i = tree.nodes[i].parent)
    if (tree.nodes[i].function == node.function) return true;
  return false;
}

}  // namespace

CallTrie::Place CallTrie::callee(Place caller, FunctionId function) {
  const auto [found, is_new] =
      callees_.try_emplace(key_of(caller, function), static_cast<Place>(nodes_.size()));
  if (is_new) nodes_.push_back({function, caller});
  return found->second;
}

CallTrie::Place CallTrie::place_of(std::span<const FunctionId> stack) {
  if (stack.empty()) return callee(kNowhere, kUserFunction);
  Place place = kNowhere;
  for (size_t left = stack.size(); left > 0; --left) {
    const FunctionId function = stack[left - 1];
    if (nodes_.size() + left > kMaxPlaces && !callees_.contains(key_of(place, function)))
      return callee(kNowhere, kOtherFunction);
    place = callee(place, function);
  }
  return place;
}

void CallTrie::clear() {
  nodes_.clear();
  callees_.clear();
}

CallTree CallTrie::tree(std::span<const uint64_t> self, const Symbols& symbols) const {
  std::vector<uint64_t> total(self.begin(), self.end());
  total.resize(nodes_.size());
  for (size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].caller != kNowhere) total[nodes_[i].caller] += total[i];

  CallTree tree;
  std::vector<uint32_t> node_of(nodes_.size(), CallNode::kNone);
  std::unordered_map<FunctionId, uint32_t> functions;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (total[i] == 0) continue;
    const auto [function, is_new] =
        functions.try_emplace(nodes_[i].function, static_cast<uint32_t>(functions.size()));
    if (is_new) tree.functions.emplace_back(symbols.name(nodes_[i].function));
    const Place caller = nodes_[i].caller;
    if (caller == kNowhere) tree.total += total[i];
    node_of[i] = static_cast<uint32_t>(tree.nodes.size());
    tree.nodes.push_back({function->second, caller == kNowhere ? CallNode::kNone : node_of[caller],
                          i < self.size() ? self[i] : 0, total[i]});
  }
  return tree;
}

std::vector<FunctionRow> function_rows(const CallTree& tree) {
  std::vector<FunctionRow> rows;
  for (const std::string& name : tree.functions) rows.push_back({name, 0, 0});
  for (const CallNode& node : tree.nodes) {
    rows[node.function].self_samples += node.self;
    if (!is_called_by_itself(tree, node)) rows[node.function].children_samples += node.total;
  }
  std::ranges::sort(rows, [](const FunctionRow& a, const FunctionRow& b) {
    return std::tie(b.self_samples, b.children_samples, a.name) <
           std::tie(a.self_samples, a.children_samples, b.name);
  });
  return rows;
}

}  // namespace pipetop::observe

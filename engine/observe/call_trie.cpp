#include "engine/observe/call_trie.h"

namespace pipetop::observe {
namespace {

uint64_t key_of(CallTrie::Place caller, Function function) {
  return uint64_t{caller} << 32 | function.number();
}

}  // namespace

CallTrie::Place CallTrie::callee(Place caller, Function function) {
  const auto [found, is_new] =
      callees_.try_emplace(key_of(caller, function), static_cast<Place>(nodes_.size()));
  if (is_new) nodes_.push_back({function, caller});
  return found->second;
}

CallTrie::Place CallTrie::place_of(std::span<const Function> stack) {
  if (stack.empty()) return callee(kNowhere, Function("[user]"));
  Place place = kNowhere;
  for (size_t left = stack.size(); left > 0; --left) {
    const Function function = stack[left - 1];
    if (nodes_.size() + left > kMaxPlaces && !callees_.contains(key_of(place, function)))
      return callee(kNowhere, Function("[other]"));
    place = callee(place, function);
  }
  return place;
}

void CallTrie::clear() {
  nodes_.clear();
  callees_.clear();
}

CallTree CallTrie::tree(std::span<const uint64_t> self) const {
  std::vector<uint64_t> total(self.begin(), self.end());
  total.resize(nodes_.size());
  for (size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].caller != kNowhere) total[nodes_[i].caller] += total[i];

  CallTree tree;
  std::vector<uint32_t> node_of(nodes_.size(), CallNode::kNone);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (total[i] == 0) continue;
    const auto [function, caller] = nodes_[i];
    if (caller == kNowhere) tree.total += total[i];
    node_of[i] = static_cast<uint32_t>(tree.nodes.size());
    tree.nodes.push_back({function, caller == kNowhere ? CallNode::kNone : node_of[caller],
                          i < self.size() ? self[i] : 0, total[i]});
  }
  return tree;
}

}  // namespace pipetop::observe

// Two call trees side by side: functions under common numbers, and a tree with what
// it takes to walk it from callers to callees.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "tui/state/call_profile.h"
#include "tui/state/folds.h"

namespace pipetop::tui {

// Functions by name, over both trees.
class Names {
 public:
  uint32_t id(std::string_view name) {
    const auto [found, is_new] = ids_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (is_new) {
      names_.push_back(name);
      hashes_.push_back(name_hash(name));
    }
    return found->second;
  }
  std::string_view name(uint32_t id) const { return names_[id]; }
  uint64_t hash(uint32_t id) const { return hashes_[id]; }
  size_t size() const { return names_.size(); }

 private:
  std::unordered_map<std::string_view, uint32_t> ids_;
  std::vector<std::string_view> names_;
  std::vector<uint64_t> hashes_;
};

// A tree with what it takes to walk it downwards.
// `profile` outlives it.
class WalkedTree {
 public:
  static constexpr uint32_t kNone = CallNode::kNone;

  WalkedTree() = default;
  WalkedTree(const CallProfile& profile, Names& names);

  const CallProfile* profile() const { return profile_; }
  const std::vector<CallNode>& nodes() const { return profile_->tree->nodes; }
  uint32_t root() const { return root_; }
  uint32_t next(uint32_t node) const { return next_[node]; }
  uint32_t first_child(uint32_t node) const { return first_[node]; }
  uint32_t id(uint32_t node) const { return ids_[nodes()[node].function]; }
  double share(uint64_t weight) const;
  // Not called, however far up, by itself.
  bool is_topmost(uint32_t node) const;

 private:
  const CallProfile* profile_ = nullptr;  // null: nothing is known
  std::vector<uint32_t> ids_;             // by function
  std::vector<uint32_t> next_, first_;    // by node: its sibling, its first child
  uint32_t root_ = kNone;
};

}  // namespace pipetop::tui

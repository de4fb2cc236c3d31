// A call tree with links for walking from callers to callees.
#pragma once

#include <vector>

#include "tui/state/call_profile.h"

namespace pipetop::tui {

// `profile` outlives it.
class WalkedTree {
 public:
  static constexpr uint32_t kNone = CallNode::kNone;

  WalkedTree() = default;
  explicit WalkedTree(const CallProfile& profile);

  const CallProfile* profile() const { return profile_; }
  const std::vector<CallNode>& nodes() const { return profile_->tree->nodes; }
  uint32_t root() const { return root_; }
  uint32_t next(uint32_t node) const { return next_[node]; }
  uint32_t first_child(uint32_t node) const { return first_[node]; }
  double share(uint64_t weight) const;

 private:
  const CallProfile* profile_ = nullptr;  // null: unknown
  std::vector<uint32_t> next_, first_;    // by node: its sibling, its first child
  uint32_t root_ = kNone;
};

}  // namespace pipetop::tui

// The data of a function list: where a role ran or waited, what 100 % means, and what it
// is compared with.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop::tui {

struct CallProfile {
  // What fills up the wall time in addition to the tree.
  struct Part {
    std::string_view name;  // "[blocked]"; "": none
    double share = 0;
    bool operator==(const Part&) const = default;
  };

  std::shared_ptr<const CallTree> tree;  // never null
  uint64_t whole = 0;                    // the total weight
  double scale = 1;                      // the total as a share of the reference; 1 of itself
  std::array<Part, 2> beside;

  bool operator==(const CallProfile&) const = default;
};

inline CallProfile profile_of(const FunctionTable& functions) {
  return {functions.tree, functions.samples, 1, {}};
}
inline CallProfile profile_of(const BlockedTable& blocked) {
  return {blocked.tree, blocked.ns, 1, {}};
}

// The first function of each table, found once: it takes a walk over the whole tree.
class TopFunctions {
 public:
  // Nothing if the table is empty.
  const std::optional<FunctionRow>& of(const FunctionTable& functions) const;

 private:
  using Tree = std::weak_ptr<const CallTree>;
  mutable std::map<Tree, std::optional<FunctionRow>, std::owner_less<Tree>> found_;
};

enum class Activity : uint8_t { running, waiting };

// The profile as shares of wall time; unavailable if the shares are unknown.
Reading<CallProfile> of_wall_time(CallProfile profile, Activity activity, const TimeShares& wall);

// A call tree with links for walking from callers to callees. `profile` outlives it.
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

// The reference for the numbers on the screen: the segment kept as A, else the previous
// one.
struct Reference {
  std::shared_ptr<const Segment> segment;  // null: there is nothing to compare with
  bool is_a = false;
  // None if nothing is known.
  std::array<std::optional<CallProfile>, kRoles> running, waiting;  // by Role

  std::string_view name() const { return !segment ? "" : is_a ? "A" : "prev"; }
  const std::optional<CallProfile>& of(Role role, Activity activity) const {
    return (activity == Activity::running ? running : waiting)[static_cast<size_t>(role)];
  }
};

Reference reference_of(std::shared_ptr<const Segment> segment, bool is_a = false);

// The same as shares of wall time, if its parts are known.
std::optional<CallProfile> reference_profile(const Reference& reference, Role role,
                                             Activity activity, bool wall);

}  // namespace pipetop::tui

#include "tui/widgets/call_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

enum Side : uint8_t { kNow, kBefore };
constexpr std::array kSides = {kNow, kBefore};
constexpr uint32_t kEnd = CallNode::kNone;

// A call tree with links for walking from callers to callees. The profile outlives it.
struct WalkedTree {
  const CallProfile* profile;  // null: unknown
  std::span<const CallNode> nodes;
  std::vector<uint32_t> next, first_child;  // by node
  uint32_t root = kEnd;

  explicit WalkedTree(const CallProfile* of) : profile(of) {
    if (!profile) return;
    nodes = profile->tree->nodes;
    next.assign(nodes.size(), kEnd);
    first_child = next;
    for (size_t i = nodes.size(); i-- > 0;) {
      uint32_t& head = nodes[i].parent == kEnd ? root : first_child[nodes[i].parent];
      next[i] = std::exchange(head, static_cast<uint32_t>(i));
    }
  }

  double share(uint64_t weight) const {
    if (profile->whole == 0) return 0;
    return static_cast<double>(weight) / static_cast<double>(profile->whole) * profile->scale;
  }
};

// Everything that becomes one row: the nodes of a function below the same path, now
// and before.
struct Group {
  struct Part {
    bool present = false;
    double self = 0, total = 0;
    uint32_t nodes = kEnd;  // the first of a chain of links
    double share(ListSort sort) const { return sort == ListSort::self ? self : total; }
  };
  Function function;
  std::array<Part, 2> part = {};
};

struct Link {
  uint32_t node = 0, next = kEnd;
};

class RowMaker {
 public:
  RowMaker(const CallProfile& now, const CallProfile* before, const RowsChoice& choice,
           const Folds& folds)
      : choice_(choice), folds_(folds), trees_{WalkedTree(&now), WalkedTree(before)} {
    find_leads();
  }

  std::vector<CallRow> make() {
    choice_.form == ListForm::tree ? gather_roots() : gather_functions();
    gather_beside();
    emit(0, -1, folds_.top(), choice_.form == ListForm::tree && choice_.filter.empty());
    return std::move(rows_);
  }

 private:
  bool matches(Function function) const { return contains(function.name(), choice_.filter); }

  void find_leads() {
    if (choice_.filter.empty()) return;
    const auto nodes = trees_[kNow].nodes;
    leads_.assign(nodes.size(), false);
    for (size_t i = leads_.size(); i-- > 0;) {
      if (matches(nodes[i].function)) leads_[i] = true;
      const uint32_t parent = nodes[i].parent;
      if (leads_[i] && parent != kEnd) leads_[parent] = true;
    }
  }

  // Finds or makes the group in the level that is being gathered.
  Group& group(Function function) {
    if (function.number() >= group_of_.size()) group_of_.resize(Function::count());
    size_t& index = group_of_[function.number()];
    const bool of_level =
        index >= level_ && index < groups_.size() && groups_[index].function == function;
    if (!of_level) {
      index = groups_.size();
      groups_.push_back({function});
    }
    return groups_[index];
  }

  void add(Side side, uint32_t node) {
    const WalkedTree& tree = trees_[side];
    const CallNode& place = tree.nodes[node];
    Group::Part& part = group(place.function).part[side];
    part.present = true;
    part.self += tree.share(place.self);
    part.total += tree.share(place.total);
    links_.push_back({node, part.nodes});
    part.nodes = static_cast<uint32_t>(links_.size() - 1);
  }

  void add_siblings(Side side, uint32_t first) {
    for (uint32_t n = first; n != kEnd; n = trees_[side].next[n]) add(side, n);
  }

  void gather_roots() {
    for (const Side side : kSides) add_siblings(side, trees_[side].root);
  }

  // The topmost node of a recursive function has its samples; below, only what ended
  // there is added.
  void gather_functions() {
    for (const Side side : kSides) {
      const WalkedTree& tree = trees_[side];
      for (uint32_t n = 0; n < tree.nodes.size(); ++n) {
        const CallNode& node = tree.nodes[n];
        if (tree.profile->tree->is_topmost(node)) {
          add(side, n);
        } else {
          group(node.function).part[side].self += tree.share(node.self);
        }
      }
    }
  }

  void gather_beside() {
    for (const Side side : kSides) {
      if (!trees_[side].profile) continue;
      for (const auto& [name, share] : trees_[side].profile->beside) {
        if (!name.empty()) group(Function(name)).part[side] = {true, share, share};
      }
    }
  }

  void gather_callees(const Group& of) {
    level_ = groups_.size();
    for (const Side side : kSides) {
      for (uint32_t link = of.part[side].nodes; link != kEnd; link = links_[link].next)
        add_siblings(side, trees_[side].first_child[links_[link].node]);
    }
  }

  // Whether it is known what was there before.
  bool is_known(int depth) const {
    const CallProfile* before = trees_[kBefore].profile;
    if (!before) return false;
    return before->tree->paths || (choice_.form == ListForm::flat && depth == 0);
  }

  bool is_row(const Group& g, int depth) const {
    if (!g.part[kNow].present && g.part[kBefore].share(choice_.sort) < kWorthNaming) return false;
    if (choice_.filter.empty() || matches(g.function)) return true;
    if (choice_.form == ListForm::flat) return depth > 0;
    for (uint32_t link = g.part[kNow].nodes; link != kEnd; link = links_[link].next) {
      if (leads_[links_[link].node]) return true;
    }
    return false;
  }

  Fold fold_of(const Group& g, bool open) const {
    const WalkedTree& tree = trees_[kNow];
    const bool filtered = !choice_.filter.empty() && choice_.form == ListForm::tree;
    for (uint32_t link = g.part[kNow].nodes; link != kEnd; link = links_[link].next) {
      for (uint32_t n = tree.first_child[links_[link].node]; n != kEnd; n = tree.next[n]) {
        if (!filtered || leads_[n]) return open ? Fold::open : Fold::closed;
      }
    }
    return Fold::none;
  }

  void compare(CallRow& row, const Group& g) const {
    const Group::Part &now = g.part[kNow], &before = g.part[kBefore];
    row.self = now.self;
    row.total = now.total;
    if (!is_known(row.depth)) return;
    row.change = now.share(choice_.sort) - before.share(choice_.sort);
    if (!now.present) row.novelty = Novelty::vanished;
    if (!before.present && *row.change >= kWorthNaming) row.novelty = Novelty::added;
  }

  static bool has_vanished(const Group& g) { return !g.part[kNow].present; }

  // What has vanished comes last, in its former order.
  void choose_and_sort(size_t begin, int depth) {
    const auto first = groups_.begin() + static_cast<ptrdiff_t>(begin);
    const auto left_out = [&](const Group& g) { return !is_row(g, depth); };
    groups_.erase(std::remove_if(first, groups_.end(), left_out), groups_.end());
    std::sort(first, groups_.end(), [&](const Group& a, const Group& b) {
      if (has_vanished(a) != has_vanished(b)) return has_vanished(b);
      const auto rank = [&](const Group& g) {
        const Group::Part& part = g.part[g.part[kNow].present ? kNow : kBefore];
        return std::pair(part.share(choice_.sort), part.total);
      };
      const auto rank_a = rank(a), rank_b = rank(b);
      return rank_a != rank_b ? rank_a > rank_b : a.function.name() < b.function.name();
    });
  }

  size_t hottest(size_t begin) const {
    const auto total = [](const Group& g) { return g.part[kNow].total; };
    const auto first = groups_.begin() + static_cast<ptrdiff_t>(begin);
    return static_cast<size_t>(std::ranges::max_element(first, groups_.end(), {}, total) -
                               groups_.begin());
  }

  // Makes rows of the groups from `begin` on, and takes these off their stack. `hot`: the hottest
  // path leads here.
  void emit(size_t begin, int parent, const Folds::Rule& rule, bool hot) {
    const CallRow above = parent < 0 ? CallRow{.depth = -1} : rows_[static_cast<size_t>(parent)];
    const int depth = above.depth + 1;
    choose_and_sort(begin, depth);
    const size_t end = groups_.size(), hot_one = hot ? hottest(begin) : end;
    for (size_t i = begin; i < end; ++i) {
      const Group group = groups_[i];
      const bool first_gone = has_vanished(group) && (i == begin || !has_vanished(groups_[i - 1]));
      if (depth == 0 && first_gone && is_known(depth))
        rows_.push_back({.name = kNoLongerSeen, .novelty = Novelty::heading});
      const PathId path = path_id(above.path, group.function);
      const Folds::State fold = folds_.at(path, rule);
      CallRow row{.name = group.function.name(), .path = path, .parent = parent, .depth = depth};
      row.fold = fold_of(group, fold.open || (i == hot_one && !fold.by_hand));
      row.open_below = fold.below.open;
      row.rails = above.rails;
      if (depth < 64 && i + 1 < end) row.rails |= 1ull << depth;
      compare(row, group);
      rows_.push_back(row);
      if (row.fold != Fold::open) continue;
      const size_t links = links_.size();
      gather_callees(group);
      emit(end, static_cast<int>(rows_.size()) - 1, fold.below, i == hot_one);
      links_.resize(links);
    }
    groups_.erase(groups_.begin() + static_cast<ptrdiff_t>(begin), groups_.end());
  }

  const RowsChoice& choice_;
  const Folds& folds_;
  std::array<WalkedTree, 2> trees_;
  std::vector<bool> leads_;  // by current node: it or a callee of it matches
  // Stacks: a level's groups and links lie above those of the levels over it.
  std::vector<Group> groups_;
  std::vector<Link> links_;
  size_t level_ = 0;              // the first group of the level that is being gathered
  std::vector<size_t> group_of_;  // by function; of a finished level unless the group agrees
  std::vector<CallRow> rows_;
};

}  // namespace

// The order of functions matters.
PathId path_id(PathId parent, Function function) {
  const PathId path = ((parent ^ (parent >> 29)) + function.number() + 1) * 0xbf58476d1ce4e5b9;
  return path == 0 ? 1 : path;
}

Folds::State Folds::at(PathId path, const Rule& inherited) const {
  const auto found = marks_.find(path);
  if (found == marks_.end() || found->second.at <= inherited.since)
    return {inherited.open, inherited, inherited.since != 0};
  const Mark& mark = found->second;
  return {mark.open, mark.entry ? Rule{mark.open, mark.at} : inherited, true};
}

void Folds::set_level(PathId path, bool open) { marks_[path] = {open, false, ++clock_}; }
void Folds::set_entry(PathId path, bool open) { marks_[path] = {open, true, ++clock_}; }

void Folds::set_all(bool open) {
  marks_.clear();
  all_ = {open, ++clock_};
}

CallRows make_rows(const CallProfile& now, const CallProfile* before, const RowsChoice& choice,
                   const Folds& folds) {
  return RowMaker(now, before, choice, folds).make();
}

}  // namespace pipetop::tui

#include "tui/state/call_rows.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pipetop::tui {
namespace {

enum Side : uint8_t { kNow, kBefore };
constexpr std::array kSides = {kNow, kBefore};
constexpr uint32_t kEnd = CallNode::kNone;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool holds(std::string_view name, std::string_view filter) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(name.begin(), name.end(), filter.begin(), filter.end(), same) != name.end();
}

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
      : choice_(choice), folds_(folds), group_of_(Function::count(), kEnd) {
    trees_[kNow] = WalkedTree(now);
    if (before) trees_[kBefore] = WalkedTree(*before);
    find_leads();
  }

  std::vector<CallRow> make() {
    choice_.form == ListForm::tree ? gather_roots() : gather_functions();
    gather_beside();
    emit(0, -1, folds_.top());
    return std::move(rows_);
  }

 private:
  bool matches(Function function) const { return holds(function.name(), choice_.filter); }
  void find_leads();
  Group& group(Function function);
  void add(Side side, uint32_t node);
  void gather_roots();
  void gather_functions();
  void gather_beside();
  void gather_callees(const Group& of);
  void close_groups(size_t begin);
  bool is_known(int depth) const;
  bool is_row(const Group& group, int depth) const;
  Fold fold_of(const Group& group, bool open) const;
  void compare(CallRow& row, const Group& group) const;
  void choose_and_sort(size_t begin, int depth);
  CallRow row_of(const Group& group, const CallRow* above, const Folds::Rule& rule,
                 Folds::Rule& below) const;
  void emit(size_t begin, int parent, const Folds::Rule& rule);

  const RowsChoice& choice_;
  const Folds& folds_;
  std::array<WalkedTree, 2> trees_;
  std::vector<bool> leads_;         // by current node: it or a callee of it matches
  std::vector<uint32_t> group_of_;  // by function, while a level is gathered
  // Stacks: a level's groups and links lie above those of the levels over it.
  std::vector<Group> groups_;
  std::vector<Link> links_;
  std::vector<CallRow> rows_;
};

void RowMaker::find_leads() {
  if (choice_.filter.empty()) return;
  const std::vector<CallNode>& nodes = trees_[kNow].nodes();
  leads_.assign(nodes.size(), false);
  for (size_t i = leads_.size(); i-- > 0;) {
    if (matches(nodes[i].function)) leads_[i] = true;
    const uint32_t parent = nodes[i].parent;
    if (leads_[i] && parent != CallNode::kNone) leads_[parent] = true;
  }
}

// Of the level that is being gathered.
Group& RowMaker::group(Function function) {
  uint32_t& index = group_of_[function.number()];
  if (index == kEnd) {
    index = static_cast<uint32_t>(groups_.size());
    groups_.push_back({function});
  }
  return groups_[index];
}

void RowMaker::add(Side side, uint32_t node) {
  const WalkedTree& tree = trees_[side];
  const CallNode& place = tree.nodes()[node];
  Group::Part& part = group(place.function).part[side];
  part.present = true;
  part.self += tree.share(place.self);
  part.total += tree.share(place.total);
  links_.push_back({node, part.nodes});
  part.nodes = static_cast<uint32_t>(links_.size() - 1);
}

void RowMaker::close_groups(size_t begin) {
  for (size_t i = begin; i < groups_.size(); ++i) group_of_[groups_[i].function.number()] = kEnd;
}

void RowMaker::gather_roots() {
  for (const Side side : kSides) {
    const WalkedTree& tree = trees_[side];
    for (uint32_t n = tree.root(); n != kEnd; n = tree.next(n)) add(side, n);
  }
  close_groups(0);
}

// The topmost node of a recursive function has its samples; below, only what ended
// there is added.
void RowMaker::gather_functions() {
  for (const Side side : kSides) {
    const WalkedTree& tree = trees_[side];
    if (!tree.profile()) continue;
    for (uint32_t n = 0; n < tree.nodes().size(); ++n) {
      const CallNode& node = tree.nodes()[n];
      if (tree.profile()->tree->is_topmost(node)) {
        add(side, n);
      } else {
        group(node.function).part[side].self += tree.share(node.self);
      }
    }
  }
  close_groups(0);
}

void RowMaker::gather_callees(const Group& of) {
  const size_t begin = groups_.size();
  for (const Side side : kSides) {
    const WalkedTree& tree = trees_[side];
    for (uint32_t link = of.part[side].nodes; link != kEnd; link = links_[link].next) {
      for (uint32_t n = tree.first_child(links_[link].node); n != kEnd; n = tree.next(n))
        add(side, n);
    }
  }
  close_groups(begin);
}

void RowMaker::gather_beside() {
  for (const CallProfile::Part& now : trees_[kNow].profile()->beside) {
    if (now.name.empty()) continue;
    Group g{Function(now.name)};
    g.part[kNow] = {true, now.share, now.share};
    if (trees_[kBefore].profile()) {
      for (const CallProfile::Part& before : trees_[kBefore].profile()->beside) {
        if (before.name == now.name) g.part[kBefore] = {true, before.share, before.share};
      }
    }
    groups_.push_back(g);
  }
}

// Whether it is known what was there before.
bool RowMaker::is_known(int depth) const {
  const CallProfile* before = trees_[kBefore].profile();
  if (!before) return false;
  return before->tree->paths || (choice_.form == ListForm::flat && depth == 0);
}

bool RowMaker::is_row(const Group& g, int depth) const {
  if (!g.part[kNow].present && g.part[kBefore].share(choice_.sort) < kWorthNaming) return false;
  if (choice_.filter.empty() || matches(g.function)) return true;
  if (choice_.form == ListForm::flat) return depth > 0;
  for (uint32_t link = g.part[kNow].nodes; link != kEnd; link = links_[link].next) {
    if (leads_[links_[link].node]) return true;
  }
  return false;
}

Fold RowMaker::fold_of(const Group& g, bool open) const {
  const WalkedTree& tree = trees_[kNow];
  const bool filtered = !choice_.filter.empty() && choice_.form == ListForm::tree;
  for (uint32_t link = g.part[kNow].nodes; link != kEnd; link = links_[link].next) {
    for (uint32_t n = tree.first_child(links_[link].node); n != kEnd; n = tree.next(n)) {
      if (!filtered || leads_[n]) return open ? Fold::open : Fold::closed;
    }
  }
  return Fold::none;
}

void RowMaker::compare(CallRow& row, const Group& g) const {
  const Group::Part &now = g.part[kNow], &before = g.part[kBefore];
  row.self = now.self;
  row.total = now.total;
  if (!is_known(row.depth)) return;
  row.change = now.share(choice_.sort) - before.share(choice_.sort);
  if (!now.present) row.novelty = Novelty::vanished;
  if (!before.present && *row.change >= kWorthNaming) row.novelty = Novelty::added;
}

// What has vanished keeps its place.
void RowMaker::choose_and_sort(size_t begin, int depth) {
  const auto first = groups_.begin() + static_cast<ptrdiff_t>(begin);
  const auto left_out = [&](const Group& g) { return !is_row(g, depth); };
  groups_.erase(std::remove_if(first, groups_.end(), left_out), groups_.end());
  std::sort(first, groups_.end(), [&](const Group& a, const Group& b) {
    const auto rank = [&](const Group& g) {
      const Group::Part& part = g.part[g.part[kNow].present ? kNow : kBefore];
      return std::pair(part.share(choice_.sort), part.total);
    };
    const auto rank_a = rank(a), rank_b = rank(b);
    return rank_a != rank_b ? rank_a > rank_b : a.function.name() < b.function.name();
  });
}

// `above`: nullptr at the top. `below` is the rule for what is below the row.
CallRow RowMaker::row_of(const Group& g, const CallRow* above, const Folds::Rule& rule,
                         Folds::Rule& below) const {
  CallRow row;
  row.name = g.function.name();
  row.path = path_id(above ? above->path : 0, g.function);
  row.depth = above ? above->depth + 1 : 0;
  row.rails = above ? above->rails : 0;
  const Folds::State fold = folds_.at(row.path, rule);
  below = fold.below;
  row.fold = fold_of(g, fold.open);
  row.open_below = below.open;
  compare(row, g);
  return row;
}

// Makes rows of the groups from `begin` on, and takes these off their stack.
void RowMaker::emit(size_t begin, int parent, const Folds::Rule& rule) {
  const CallRow above = parent < 0 ? CallRow{} : rows_[static_cast<size_t>(parent)];
  const int depth = parent < 0 ? 0 : above.depth + 1;
  choose_and_sort(begin, depth);
  const size_t end = groups_.size();
  for (size_t i = begin; i < end; ++i) {
    Folds::Rule below;
    CallRow row = row_of(groups_[i], parent < 0 ? nullptr : &above, rule, below);
    row.parent = parent;
    if (depth < 64 && i + 1 < end) row.rails |= 1ull << depth;
    const int index = static_cast<int>(rows_.size());
    rows_.push_back(row);
    if (row.fold != Fold::open) continue;
    const size_t links = links_.size();
    gather_callees(Group(groups_[i]));
    emit(end, index, below);
    links_.resize(links);
  }
  groups_.erase(groups_.begin() + static_cast<ptrdiff_t>(begin), groups_.end());
}

}  // namespace

// The order of functions matters.
PathId path_id(PathId parent, Function function) {
  const PathId path = ((parent ^ (parent >> 29)) + function.number() + 1) * 0xbf58476d1ce4e5b9;
  return path == 0 ? 1 : path;
}

Folds::State Folds::at(PathId path, const Rule& inherited) const {
  const auto found = marks_.find(path);
  if (found == marks_.end() || found->second.at <= inherited.since)
    return {inherited.open, inherited};
  const Mark& mark = found->second;
  return {mark.open, mark.entry ? Rule{mark.open, mark.at} : inherited};
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

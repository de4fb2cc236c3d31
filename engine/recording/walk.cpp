#include "engine/recording/walk.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include "engine/base/text.h"

namespace pipetop::recording {
namespace {

constexpr uint64_t kMostSlots = kMaxPipeBytes / kPageBytes;
constexpr size_t kMostTextBytes = 64 << 10;  // more than anything that is shown
constexpr uint32_t kMostDepth = 256;         // the kernel's stacks have 127 functions

// Whether each node's total is its own weight and that of its callees.
bool adds_up(const CallTree& tree) {
  std::vector<uint64_t> sums(tree.nodes.size());
  uint64_t roots = 0;
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    const CallNode& node = tree.nodes[i];
    if (node.total != sums[i] + node.self) return false;
    (node.parent == CallNode::kNone ? roots : sums[node.parent]) += node.total;
  }
  return roots == tree.total;
}

// Nodes are read before their totals, the callees after their callers.
void add_up(CallTree& tree) {
  tree.total = 0;
  for (CallNode& node : tree.nodes) node.total = node.self;
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    const CallNode& node = tree.nodes[i];
    (node.parent == CallNode::kNone ? tree.total : tree.nodes[node.parent].total) += node.total;
  }
}

// Finds the nodes of a tree that the tree before had, too. Both keep their order, except that nodes
// come and go.
class Matches {
 public:
  explicit Matches(const CallTree& before) : before_(before) {}

  // How far the node's match is from the last one, 0 if it has none. `parent` is the match of its
  // parent, kNone for a root.
  uint32_t next(Function function, uint32_t parent) {
    uint32_t at = last_ + 1;
    if (!is(at, function, parent)) at = find(function, parent);
    if (at == CallNode::kNone || at + 1 <= last_ + 1) return 0;
    const uint32_t step = at - last_;
    last_ = at;
    return step;
  }
  uint32_t last() const { return last_; }

 private:
  bool is(uint32_t at, Function function, uint32_t parent) const {
    return at < before_.nodes.size() && before_.nodes[at].function == function &&
           before_.nodes[at].parent == parent;
  }
  uint32_t find(Function function, uint32_t parent) {
    if (places_.empty())
      for (uint32_t i = 0; i < before_.nodes.size(); ++i)
        places_.emplace(std::pair(before_.nodes[i].function.number(), before_.nodes[i].parent), i);
    const auto found = places_.find({function.number(), parent});
    return found == places_.end() ? CallNode::kNone : found->second;
  }

  const CallTree& before_;
  uint32_t last_ = CallNode::kNone;                           // + 1 is the first
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> places_;  // by function and parent
};

// Writes the functions and callers of a tree's nodes. Returns for each the node of `old` that it
// was, or kNone.
std::vector<uint32_t> walk_nodes(ByteWriter& out, Written& written, const CallTree& tree,
                                 uint64_t count, const CallTree& old) {
  const auto& nodes = tree.nodes;
  Matches matches(old);
  std::vector<uint32_t> match(count, CallNode::kNone);
  constexpr uint32_t kUnknown = CallNode::kNone - 1;  // no parent is there
  for (size_t i = 0; i < count; ++i) {
    const bool root = nodes[i].parent == CallNode::kNone;
    const uint32_t parent = root                                        ? CallNode::kNone
                            : match[nodes[i].parent] == CallNode::kNone ? kUnknown
                                                                        : match[nodes[i].parent];
    const uint32_t step = matches.next(nodes[i].function, parent);
    out.number(step);
    if (step > 0) {
      match[i] = matches.last();
    } else {
      out.number(written.number_of(nodes[i].function));
      out.number(root ? 0 : i - nodes[i].parent);
    }
  }
  return match;
}

// Reads them into an empty tree.
std::vector<uint32_t> walk_nodes(ByteReader& in, const SharedValues& shared, CallTree& tree,
                                 uint64_t count, const CallTree& old) {
  tree.nodes.reserve(count);
  std::vector<uint32_t> match, now(old.nodes.size(), CallNode::kNone);  // each in the other tree
  match.reserve(count);
  std::vector<uint16_t> depth;
  depth.reserve(count);
  const auto add = [&](Function function, uint32_t parent, uint32_t was) {
    const uint16_t level = parent == CallNode::kNone ? 1 : depth[parent] + 1;
    if (level > kMostDepth) fail("a call tree is too deep");
    depth.push_back(level);
    tree.nodes.push_back({function, parent, 0, 0});
    match.push_back(was);
  };
  uint64_t last = 0;  // + 1
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t step = in.number();
    if (step == 0) {
      const uint64_t name = in.number(), up = in.number();
      if (name >= shared.names.size() || up > i) fail("a call tree refers to what is not there");
      const uint32_t parent = up == 0 ? CallNode::kNone : i - static_cast<uint32_t>(up);
      add(shared.names[name], parent, CallNode::kNone);
      continue;
    }
    if (step > old.nodes.size() - last) fail("a call tree refers to what is not there");
    last += step;
    const auto at = static_cast<uint32_t>(last - 1);
    const CallNode& was = old.nodes[at];
    const bool root = was.parent == CallNode::kNone;
    if (!root && now[was.parent] == CallNode::kNone) fail("a call tree lacks a caller");
    add(was.function, root ? was.parent : now[was.parent], at);
    now[at] = i;
  }
  return match;
}

template <class T>
std::shared_ptr<const T> one_of(const std::vector<std::shared_ptr<const T>>& all, uint64_t number) {
  if (number > all.size()) fail("it refers to what is not there");
  return number == 0 ? nullptr : all[number - 1];
}

uint32_t as_u32(uint64_t number) {
  if (number > std::numeric_limits<uint32_t>::max()) fail("a number is out of its range");
  return static_cast<uint32_t>(number);
}

uint64_t packed_kind(const Slot& slot) {
  return static_cast<uint64_t>(slot.kind) | uint64_t{slot.huge} << 6 |
         uint64_t{slot.consecutive} << 5 | uint64_t{slot.rewritten} << 7;
}

void set_kind(Slot& slot, uint64_t packed) {
  const uint64_t kind = packed & 31;
  if (kind >= kSlotKinds || packed >= 1 << 8) fail("a slot has no such kind");
  slot.kind = static_cast<SlotKind>(kind);
  slot.consecutive = packed & 1 << 5;
  slot.huge = packed & 1 << 6;
  slot.rewritten = packed & 1 << 7;
}

// Slots that are alike follow each other.
template <class Value, class Set>
void walk_runs(ByteWriter& out, const std::vector<Slot>& slots, Value value, Set) {
  for (size_t begin = 0; begin < slots.size();) {
    size_t end = begin + 1;
    while (end < slots.size() && value(slots[end]) == value(slots[begin])) ++end;
    out.number(end - begin);
    out.number(value(slots[begin]));
    begin = end;
  }
}
template <class Value, class Set>
void walk_runs(ByteReader& in, std::vector<Slot>& slots, Value, Set set) {
  for (size_t begin = 0; begin < slots.size();) {
    const uint64_t count = in.number(), value = in.number();
    if (count == 0 || count > slots.size() - begin) fail("a ring has fewer slots than it says");
    for (const size_t end = begin + count; begin < end; ++begin) set(slots[begin], value);
  }
}

}  // namespace

std::string read_text(ByteReader& in, Budget& budget) {
  const std::string_view text = in.text();
  if (text.size() > kMostTextBytes) fail("a text is too long");
  budget.charge(text.size());
  return printable(text);
}

// First the shape, then the weights: each is more regular by itself.
template <class Io>
bool Walk<Io>::of(Now<std::shared_ptr<const CallTree>>& now,
                  const std::shared_ptr<const CallTree>& before) {
  static const CallTree kEmpty;
  const CallTree& old = before && !full() ? *before : kEmpty;
  std::shared_ptr<CallTree> read;
  Now<CallTree>* tree = nullptr;
  if constexpr (kReads)
    tree = (read = std::make_shared<CallTree>()).get();
  else
    tree = now ? now.get() : &kEmpty;
  const uint64_t count = io_.count(tree->nodes.size());
  const uint8_t shape = io_.byte(static_cast<uint8_t>(tree->paths | adds_up(*tree) << 1));
  if (shape >= 1 << 2) fail("a call tree has no such form");
  const bool sums = shape & 1 << 1;
  if constexpr (kReads) {
    tree->paths = shape & 1;
    budget_->charge(count * (sizeof(CallNode) + sizeof(uint32_t)));
  }
  const std::vector<uint32_t> match = walk_nodes(io_, shared_, *tree, count, old);
  for (size_t i = 0; i < count; ++i) {
    const CallNode* was = match[i] == CallNode::kNone ? nullptr : &old.nodes[match[i]];
    of(tree->nodes[i].self, was ? was->self : 0);
    if (!sums) of(tree->nodes[i].total, was ? was->total : 0);
  }
  if (!sums) of(tree->total, old.total);
  if constexpr (kReads) {
    if (sums) add_up(*tree);
    now = read;
    return false;
  } else {
    return !now || !before || !Equal::of(*now, *before);
  }
}

template <class Io>
bool Walk<Io>::of(Now<std::vector<Slot>>& now, const std::vector<Slot>& before) {
  const uint64_t count = io_.number(now.size());
  if constexpr (kReads) {
    if (count > kMostSlots) fail("a ring has too many slots");
    budget_->charge_for<Slot>(count);
    now.assign(count, {});
  }
  walk_runs(io_, now, packed_kind, set_kind);
  const auto walk = [&](auto member) {
    walk_runs(
        io_, now, [&](const Slot& slot) -> uint64_t { return slot.*member; },
        [&](Slot& slot, uint64_t number) { slot.*member = as_u32(number); });
  };
  walk(&Slot::offset);
  walk(&Slot::length);
  walk(&Slot::flags);
  return !Equal::of(now, before);
}

// Walks over the place of `values` in the list of their kind. When reading, sets them.
template <class Io>
template <class T>
bool Walk<Io>::place(std::span<const T>& values) {
  Range& at = ranges_[kListOf<T>];
  const Range before = at;
  if constexpr (!kReads) at = shared_.place(values);
  at.begin = io_.difference(at.begin, before.begin);
  at.end = io_.difference(at.end, before.end);
  if constexpr (kReads) {
    const auto& all = std::get<kListOf<T>>(shared_.lists);
    if (at.begin > at.end || at.end > all.size()) fail("it refers to what is not there");
    values = std::span(all).subspan(at.begin, at.end - at.begin);
  }
  return at != before;
}

template <class Io>
template <class T>
bool Walk<Io>::of_list(Now<std::vector<T>>& now) {
  std::span<const T> values = now;
  const bool differs = place(values);
  if constexpr (kReads) {
    budget_->charge_for<T>(values.size());
    for (const T& one : values) budget_->charge(OwnedMemory::of(one));
    now.assign(values.begin(), values.end());
  }
  return differs;
}

template <class Io>
bool Walk<Io>::of(Now<std::vector<ChangeMark>>& now, const std::vector<ChangeMark>&) {
  return of_list<ChangeMark>(now);
}
template <class Io>
bool Walk<Io>::of(Now<std::vector<Notice>>& now, const std::vector<Notice>&) {
  return of_list<Notice>(now);
}

template <class Io>
bool Walk<Io>::of(Now<Series<RatePoint>>& now, const Series<RatePoint>&) {
  std::span<const RatePoint> points = now;
  const bool differs = place(points);
  if constexpr (kReads) {
    budget_->charge_for<RatePoint>(2 * points.size());
    now = {};
    for (const RatePoint& point : points) now.push_back(point);
  }
  return differs;
}

template <class Io>
bool Walk<Io>::of_series(Now<Series<RatePoint>>& now, const Series<RatePoint>& before) {
  // What differs is the value: another pipe's series may be in the same list.
  if (!kReads && !full() &&
      std::ranges::equal(now, before,
                         [](const RatePoint& a, const RatePoint& b) { return Equal::of(a, b); }))
    return false;
  uint64_t list = 0;  // from 1; 0: it is empty
  Range at;
  if constexpr (!kReads) {
    if (!now.empty()) {
      std::tie(list, at) = shared_.place_series(now);
      ++list;
    }
  }
  list = io_.number(list);
  if constexpr (kReads) {
    if (list > shared_.series.size()) fail("it refers to what is not there");
    now = {};
  }
  if (list == 0) return true;
  if (list > series_ranges_.size()) series_ranges_.resize(list);
  Range& last = series_ranges_[list - 1];
  at.begin = io_.difference(at.begin, last.begin);
  at.end = io_.difference(at.end, last.end);
  last = at;
  if constexpr (kReads) {
    const auto& all = shared_.series[list - 1];
    if (at.begin > at.end || at.end > all.size()) fail("it refers to what is not there");
    budget_->charge_for<RatePoint>(2 * (at.end - at.begin));
    for (uint64_t i = at.begin; i < at.end; ++i) now.push_back(all[i]);
  }
  return true;
}

template <class Io>
bool Walk<Io>::of(Now<std::shared_ptr<const OccupancyHistory>>& now,
                  const std::shared_ptr<const OccupancyHistory>& before) {
  const uint64_t old_ns = before ? before->column_ns + 1 : 0;
  const uint64_t column_ns = io_.number(now ? now->column_ns + 1 : 0);
  std::span<const OccupancyColumn> columns;
  if (!kReads && now) columns = now->columns;
  const bool differs = (column_ns != 0 && place(columns)) || column_ns != old_ns;
  if constexpr (kReads) {
    budget_->charge_for<OccupancyColumn>(columns.size());
    now = column_ns == 0 ? nullptr
                         : std::make_shared<const OccupancyHistory>(
                               OccupancyHistory{column_ns - 1, {columns.begin(), columns.end()}});
  }
  return differs;
}

template <class Io>
bool Walk<Io>::of(Now<std::shared_ptr<const Segment>>& now,
                  const std::shared_ptr<const Segment>& before) {
  if constexpr (kReads)
    now = one_of(shared_.segments, io_.number());
  else
    io_.number(shared_.number_of(now));
  return now != before;
}

template <class Io>
bool Walk<Io>::of(Now<std::vector<std::shared_ptr<const Segment>>>& now,
                  const std::vector<std::shared_ptr<const Segment>>& before) {
  const uint64_t count = io_.count(now.size());
  if constexpr (kReads) {
    budget_->charge_for<std::shared_ptr<const Segment>>(count);
    now.assign(count, nullptr);
  }
  uint64_t last = 0;
  for (auto& segment : now) {
    if constexpr (kReads) {
      last = io_.difference(0, last);
      segment = one_of(shared_.segments, last);
      if (!segment) fail("it refers to what is not there");
    } else {
      last = io_.difference(shared_.number_of(segment), last);
    }
  }
  return now != before;
}

template <class Io>
bool Walk<Io>::of(Now<std::shared_ptr<const HostInfo>>& now,
                  const std::shared_ptr<const HostInfo>& before) {
  if constexpr (kReads) {
    now = one_of(shared_.hosts, io_.number());
    return false;
  } else {
    const uint64_t old = shared_.number_of(before);
    return io_.number(shared_.number_of(now)) != old;
  }
}

template class Walk<ByteWriter>;
template class Walk<ByteReader>;

}  // namespace pipetop::recording

#include "engine/recording/encoder.h"

#include <algorithm>
#include <map>

namespace pipetop::recording {
namespace {

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

}  // namespace

uint64_t Written::number_of(Function function) {
  if (function.number() >= names_.size()) names_.resize(Function::count());
  uint64_t& number = names_[function.number()];
  if (number == 0) {
    number = ++name_count_;
    shared_.byte(static_cast<uint8_t>(SharedKind::name));
    shared_.text(function.name());
  }
  return number - 1;
}

uint64_t Written::number_of(const std::shared_ptr<const Segment>& segment) {
  if (!segment) return 0;
  uint64_t& number = segments_[segment];
  if (number != 0) return number;
  number = ++segment_count_;
  ByteWriter entry;  // its names come first
  Encoder(entry, *this, Encoder::Form::full).put_new(*segment);
  shared_.byte(static_cast<uint8_t>(SharedKind::segment));
  shared_.raw(entry.bytes());
  return segment_count_;
}

uint64_t Written::number_of(const std::shared_ptr<const HostInfo>& host) {
  if (!host) return 0;
  if (host_ && Equal::of(*host_, *host)) return host_count_;
  host_ = host;
  shared_.byte(static_cast<uint8_t>(SharedKind::host));
  Encoder(shared_, *this, Encoder::Form::full).put_new(*host);
  return ++host_count_;
}

void Written::forget_segments(const Throughput& shown) {
  std::erase_if(segments_, [&](const auto& known) {
    return known.first != shown.previous &&
           std::ranges::find(shown.segments, known.first) == shown.segments.end();
  });
}

template <class T>
Range Written::place(std::span<const T> now, SharedList<T>& known, SharedKind what) {
  return known.place(now, [&](const T& value, const T& before) {
    shared_.byte(static_cast<uint8_t>(what));
    Encoder(shared_, *this, Encoder::Form::delta).put(value, before);
  });
}
Range Written::place(std::span<const RatePoint> now) {
  return place(now, points_, SharedKind::point);
}
Range Written::place(std::span<const OccupancyColumn> now) {
  return place(now, columns_, SharedKind::column);
}
Range Written::place(std::span<const ChangeMark> now) {
  return place(now, marks_, SharedKind::mark);
}
Range Written::place(std::span<const Notice> now) {
  return place(now, notices_, SharedKind::notice);
}

void Written::add(const RecordedMark& mark) {
  shared_.byte(static_cast<uint8_t>(SharedKind::recorded_mark));
  Encoder(shared_, *this, Encoder::Form::full).put_new(mark);
}

// First the shape, then the weights: each is more regular by itself.
void Encoder::put(const std::shared_ptr<const CallTree>& now,
                  const std::shared_ptr<const CallTree>& before) {
  static const CallTree kEmpty;
  const CallTree& old = before && !full() ? *before : kEmpty;
  const CallTree& tree = now ? *now : kEmpty;
  const auto& nodes = tree.nodes;
  const bool sums = adds_up(tree);
  out_.number(nodes.size());
  out_.byte(static_cast<uint8_t>(tree.paths | sums << 1));
  Matches matches(old);
  std::vector<uint32_t> match(nodes.size(), CallNode::kNone);
  constexpr uint32_t kUnknown = CallNode::kNone - 1;  // no parent is there
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool root = nodes[i].parent == CallNode::kNone;
    const uint32_t parent = root                                        ? CallNode::kNone
                            : match[nodes[i].parent] == CallNode::kNone ? kUnknown
                                                                        : match[nodes[i].parent];
    const uint32_t step = matches.next(nodes[i].function, parent);
    out_.number(step);
    if (step > 0) {
      match[i] = matches.last();
    } else {
      out_.number(written_.number_of(nodes[i].function));
      out_.number(root ? 0 : i - nodes[i].parent);
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const CallNode* was = match[i] == CallNode::kNone ? nullptr : &old.nodes[match[i]];
    out_.difference(nodes[i].self, was ? was->self : 0);
    if (!sums) out_.difference(nodes[i].total, was ? was->total : 0);
  }
  if (!sums) out_.difference(tree.total, old.total);
}

// Slots that are alike follow each other.
template <class Value>
void Encoder::put_runs(const std::vector<Slot>& slots, Value value) {
  for (size_t begin = 0; begin < slots.size();) {
    size_t end = begin + 1;
    while (end < slots.size() && value(slots[end]) == value(slots[begin])) ++end;
    out_.number(end - begin);
    out_.number(value(slots[begin]));
    begin = end;
  }
}

void Encoder::put(const std::vector<Slot>& now, const std::vector<Slot>&) {
  out_.number(now.size());
  put_runs(now, [](const Slot& slot) -> uint64_t {
    return static_cast<uint64_t>(slot.kind) | uint64_t{slot.huge} << 6 |
           uint64_t{slot.consecutive} << 5 | uint64_t{slot.rewritten} << 7;
  });
  put_runs(now, [](const Slot& slot) -> uint64_t { return slot.offset; });
  put_runs(now, [](const Slot& slot) -> uint64_t { return slot.length; });
  put_runs(now, [](const Slot& slot) -> uint64_t { return slot.flags; });
}

}  // namespace pipetop::recording

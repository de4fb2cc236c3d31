#include "engine/recording/decoder.h"

#include <algorithm>
#include <span>

#include "engine/base/text.h"
#include "engine/recording/owned_memory.h"

namespace pipetop::recording {
namespace {

constexpr uint64_t kMostSlots = kMaxPipeBytes / kPageBytes;
constexpr size_t kMostTextBytes = 64 << 10;  // more than anything that is shown
constexpr uint32_t kMostDepth = 256;         // the kernel's stacks have 127 functions

// Nodes are read before their totals, the callees after their callers.
void add_up(CallTree& tree) {
  tree.total = 0;
  for (CallNode& node : tree.nodes) node.total = node.self;
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    const CallNode& node = tree.nodes[i];
    (node.parent == CallNode::kNone ? tree.total : tree.nodes[node.parent].total) += node.total;
  }
}

}  // namespace

std::string Decoder::text() {
  const std::string_view text = in_->text();
  if (text.size() > kMostTextBytes) fail("a text is too long");
  budget_.charge(text.size());
  return printable(text);
}

template <class T>
std::span<const T> Decoder::range(const std::vector<T>& all, Range& range) {
  range.begin = in_->difference(range.begin);
  range.end = in_->difference(range.end);
  if (range.begin > range.end || range.end > all.size()) fail("it refers to what is not there");
  return std::span(all).subspan(range.begin, range.end - range.begin);
}

template <class T>
void Decoder::get(std::vector<T>& value, const std::vector<T>& all, Range& from) {
  const std::span<const T> values = range(all, from);
  budget_.charge_for<T>(values.size());
  for (const T& one : values) budget_.charge(OwnedMemory::of(one));
  value.assign(values.begin(), values.end());
}
template void Decoder::get(std::vector<ChangeMark>&, const std::vector<ChangeMark>&, Range&);
template void Decoder::get(std::vector<Notice>&, const std::vector<Notice>&, Range&);

void Decoder::get(Series<RatePoint>& value) {
  const auto points = range(shared_.points, ranges_[0]);
  budget_.charge_for<RatePoint>(2 * points.size());
  value = {};
  for (const RatePoint& point : points) value.push_back(point);
}

void Decoder::get(std::shared_ptr<const OccupancyHistory>& value) {
  const uint64_t column_ns = in_->number();
  value = nullptr;
  if (column_ns == 0) return;
  const auto columns = range(shared_.columns, ranges_[1]);
  budget_.charge_for<OccupancyColumn>(columns.size());
  value = std::make_shared<const OccupancyHistory>(
      OccupancyHistory{column_ns - 1, {columns.begin(), columns.end()}});
}

void Decoder::get(std::vector<std::shared_ptr<const Segment>>& value) {
  const uint64_t count = in_->count();
  budget_.charge_for<std::shared_ptr<const Segment>>(count);
  value.clear();
  uint64_t number = 0;
  for (uint64_t i = 0; i < count; ++i) {
    number = in_->difference(number);
    value.push_back(one_of(shared_.segments, number));
    if (!value.back()) fail("it refers to what is not there");
  }
}

void Decoder::get(std::shared_ptr<const CallTree>& value) {
  static const CallTree kEmpty;
  const auto before = value;  // keeps it alive
  const CallTree& old = before && !full_ ? *before : kEmpty;
  auto tree = std::make_shared<CallTree>();
  const uint64_t count = in_->count();
  const uint8_t shape = in_->byte();
  if (shape >= 1 << 2) fail("a call tree has no such form");
  const bool sums = shape & 1 << 1;
  tree->paths = shape & 1;
  budget_.charge(count * (sizeof(CallNode) + sizeof(uint32_t)));
  tree->nodes.reserve(count);
  std::vector<uint32_t> match, now(old.nodes.size(), CallNode::kNone);  // each in the other tree
  match.reserve(count);
  std::vector<uint16_t> depth;
  depth.reserve(count);
  const auto add = [&](Function function, uint32_t parent, uint32_t was) {
    const uint16_t level = parent == CallNode::kNone ? 1 : depth[parent] + 1;
    if (level > kMostDepth) fail("a call tree is too deep");
    depth.push_back(level);
    tree->nodes.push_back({function, parent, 0, 0});
    match.push_back(was);
  };
  uint64_t last = 0;  // + 1
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t step = in_->number();
    if (step == 0) {
      const uint64_t name = in_->number(), up = in_->number();
      if (name >= shared_.names.size() || up > i) fail("a call tree refers to what is not there");
      const uint32_t parent = up == 0 ? CallNode::kNone : i - static_cast<uint32_t>(up);
      add(shared_.names[name], parent, CallNode::kNone);
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
  for (size_t i = 0; i < count; ++i) {
    const CallNode* was = match[i] == CallNode::kNone ? nullptr : &old.nodes[match[i]];
    tree->nodes[i].self = in_->difference(was ? was->self : 0);
    if (!sums) tree->nodes[i].total = in_->difference(was ? was->total : 0);
  }
  if (sums)
    add_up(*tree);
  else
    tree->total = in_->difference(old.total);
  value = std::move(tree);
}

template <class Set>
void Decoder::get_runs(std::vector<Slot>& slots, Set set) {
  for (size_t begin = 0; begin < slots.size();) {
    const uint64_t count = in_->number(), value = in_->number();
    if (count == 0 || count > slots.size() - begin) fail("a ring has fewer slots than it says");
    for (const size_t end = begin + count; begin < end; ++begin) set(slots[begin], value);
  }
}

void Decoder::get(std::vector<Slot>& value) {
  const uint64_t count = in_->number();
  if (count > kMostSlots) fail("a ring has too many slots");
  budget_.charge_for<Slot>(count);
  value.assign(count, {});
  const auto u32 = [](uint64_t number) {
    if (number > std::numeric_limits<uint32_t>::max()) fail("a number is out of its range");
    return static_cast<uint32_t>(number);
  };
  get_runs(value, [](Slot& slot, uint64_t packed) {
    const uint64_t kind = packed & 31;
    if (kind >= kSlotKinds || packed >= 1 << 8) fail("a slot has no such kind");
    slot.kind = static_cast<SlotKind>(kind);
    slot.consecutive = packed & 1 << 5;
    slot.huge = packed & 1 << 6;
    slot.rewritten = packed & 1 << 7;
  });
  get_runs(value, [&](Slot& slot, uint64_t number) { slot.offset = u32(number); });
  get_runs(value, [&](Slot& slot, uint64_t number) { slot.length = u32(number); });
  get_runs(value, [&](Slot& slot, uint64_t number) { slot.flags = u32(number); });
}

}  // namespace pipetop::recording

#include "engine/recording/codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/base/text.h"

namespace pipetop::recording {

template const Type& type_of<Snapshot>();
template const Type& type_of<Segment>();
template const Type& type_of<RecordingHeader>();
template const Type& type_of<RecordedMark>();

namespace {

constexpr uint64_t kMostSlots = kMaxPipeBytes / kPageBytes;
constexpr size_t kMostTextBytes = 64 << 10;  // more than anything that is shown
constexpr uint32_t kMostDepth = 256;         // the kernel's stacks have 127 functions
// The memory of a name that is known by its number, beside the text; of an object, beside itself;
// and what `replay --info` makes of a mark: knobs and texts as JSON.
constexpr uint64_t kNameBytes = 192, kObjectBytes = 64, kMarkBytes = 8 << 10, kMarkTexts = 8;

const void* at(const void* value, size_t bytes) { return static_cast<const char*>(value) + bytes; }
void* at(void* value, size_t bytes) { return static_cast<char*>(value) + bytes; }

// A number's bytes, the lowest first.
void swap_if_big(char* bytes, size_t count) {
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes, bytes + count);
}

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

std::string_view bytes_of(const Type& series, const void* value) {
  return {static_cast<const char*>(series.data(value)),
          series.length(value) * series.element->size};
}

// How many bytes at the end of what was there are still there, at the beginning of what is now.
size_t still_there(std::string_view before, std::string_view now, size_t each) {
  if (before.empty() || now.empty()) return 0;
  for (size_t gone = 0; gone < before.size(); gone += each)
    if (before.substr(gone, each) == now.substr(0, each))
      return now.starts_with(before.substr(gone)) ? before.size() - gone : 0;
  return 0;
}

// A node of a call tree: its name, how far before it its caller is, and what it weighs.
size_t node_bytes(bool sums) { return 2 * sizeof(uint32_t) + (sums ? 1 : 2) * sizeof(uint64_t); }

// All structs that are recorded, each after those that it has as members.
void add_groups(const Type& type, std::vector<const Type*>& groups) {
  if (type.element) add_groups(*type.element, groups);
  if (type.kind != Type::Kind::group || std::ranges::find(groups, &type) != groups.end()) return;
  for (const Field& field : type.fields) add_groups(*field.type, groups);
  groups.push_back(&type);
}
const std::vector<const Type*>& groups() {
  static const std::vector<const Type*> all = [] {
    std::vector<const Type*> found;
    for (const Type* type :
         {&type_of<RecordingHeader>(), &type_of<RecordedMark>(), &type_of<Snapshot>()})
      add_groups(*type, found);
    return found;
  }();
  return all;
}

}  // namespace

// What draws a pipeline takes them as they are.
void check(const Pipeline& pipeline) {
  for (const Pipe& pipe : pipeline.pipes)
    for (const auto* ends : {&pipe.writers, &pipe.readers})
      for (const StageEnd& end : *ends)
        if (end.stage >= pipeline.stages.size()) fail("a pipe has an end of no stage");
}
void check(const RingFrame& frame) {
  if (frame.slot.size() > kMostSlots) fail("a ring has too many slots");
}

const Type& series_type(size_t number) {
  return number == 0 ? type_of<Series<RatePoint>>() : type_of<Series<OccupancyColumn>>();
}

// ---- to write -----------------------------------------------------------------------

uint32_t Written::number_of(Function function) {
  if (function.number() >= names_.size()) names_.resize(Function::count());
  uint32_t& number = names_[function.number()];
  if (number == 0) {
    number = ++name_count_;
    shared_.number(static_cast<uint8_t>(SharedKind::name));
    shared_.text(function.name());
  }
  return number - 1;
}

uint32_t Written::number_of_segment(const std::shared_ptr<const Segment>& segment) {
  Kept& kept = segments_[segment];
  kept.used = true;
  if (kept.number != 0) return kept.number;
  kept.number = ++segment_count_;
  Encoder encoder(*this);
  encoder.put(*segment);  // the names in it come first
  shared_.number(static_cast<uint8_t>(SharedKind::segment));
  shared_.raw(encoder.bytes());
  return kept.number;
}

Written::List& Written::list_of(const Type& type, std::string_view values, size_t& known) {
  for (size_t i = 0; i < lists_.size(); ++i) {
    const size_t number = (next_list_ + i) % lists_.size();
    List& list = lists_[number];
    if (list.type != &type) continue;
    known = still_there(list.last, values, type.element->size);
    if (known == 0) continue;
    next_list_ = number + 1;
    return list;
  }
  known = 0;
  const auto free = std::ranges::find_if(lists_, [&](const List& list) {
    return list.type == &type && !list.used && list.last.empty();
  });
  if (free != lists_.end()) return *free;
  return lists_.emplace_back(List{&type, {}});
}

Written::Part Written::part_of(const Type& type, const void* series) {
  const std::string_view values = bytes_of(type, series);
  if (values.empty()) return {};
  size_t known = 0;
  List& list = list_of(type, values, known);
  list.used = true;
  const auto number = static_cast<uint32_t>(&list - lists_.data());
  if (known < values.size()) {
    const size_t each = type.element->size, count = (values.size() - known) / each;
    shared_.number(static_cast<uint8_t>(SharedKind::series));
    shared_.number(number);
    shared_.number(static_cast<uint8_t>(&type == &series_type(0) ? 0 : 1));
    shared_.number(static_cast<uint32_t>(count));
    Encoder encoder(*this);
    encoder.put_values(*type.element, values.data() + known, count);
    shared_.raw(encoder.bytes());
    list.end += static_cast<uint32_t>(count);
  }
  list.last = values;
  return {number + 1, list.end - static_cast<uint32_t>(values.size() / type.element->size),
          list.end};
}

void Written::add(const RecordedMark& mark) {
  Encoder encoder(*this);
  encoder.put(mark);
  shared_.number(static_cast<uint8_t>(SharedKind::mark));
  shared_.raw(encoder.bytes());
}

void Written::add_times(std::span<const uint64_t> times) {
  shared_.number(static_cast<uint8_t>(SharedKind::times));
  shared_.number(static_cast<uint32_t>(times.size()));
  for (const uint64_t time : times) shared_.number(time);
}

void Written::forget_unused() {
  for (List& list : lists_)
    if (!std::exchange(list.used, false)) list.last.clear();
  std::erase_if(segments_, [](const auto& kept) { return !kept.second.used; });
  for (auto& [_, kept] : segments_) kept.used = false;
}

void Encoder::put(const Type& type, const void* value) {
  switch (type.kind) {
    case Type::Kind::number: {
      char bytes[sizeof(uint64_t)];
      std::memcpy(bytes, value, type.size);
      swap_if_big(bytes, type.size);
      return out_.raw({bytes, type.size});
    }
    case Type::Kind::choice:
      // None has more than 256 values, so it is in the lowest byte.
      return out_.raw({static_cast<const char*>(
                           at(value, std::endian::native == std::endian::big ? type.size - 1 : 0)),
                       1});
    case Type::Kind::text:
      return out_.text(*static_cast<const std::string*>(value));
    case Type::Kind::group:
      for (const Field& field : type.fields) put(*field.type, at(value, field.offset));
      return;
    case Type::Kind::list: {
      out_.number(static_cast<uint32_t>(type.length(value)));
      const size_t begin = out_.size();
      put_values(*type.element, type.data(value), type.length(value));
      if (const size_t each = Layout::newest().plain_bytes(*type.element))
        out_.transpose(begin, each);
      return;
    }
    case Type::Kind::optional:
      out_.number(static_cast<uint8_t>(type.length(value)));
      [[fallthrough]];
    case Type::Kind::array:
      return put_values(*type.element, type.data(value), type.length(value));
    case Type::Kind::series: {
      const Written::Part part = written_.part_of(type, value);
      for (const uint32_t number : {part.list, part.begin, part.end}) out_.number(number);
      return;
    }
    case Type::Kind::shared:
      return put_shared(type, value);
    case Type::Kind::tree:
      return put(*static_cast<const CallTree*>(value));
  }
}

void Encoder::put_values(const Type& element, const void* values, size_t count) {
  for (size_t i = 0; i < count; ++i) put(element, at(values, i * element.size));
}

void Encoder::put_shared(const Type& type, const void* value) {
  if (!type.data(value)) return out_.number(uint32_t{0});
  if (type.keeps)
    return out_.number(
        written_.number_of_segment(*static_cast<const std::shared_ptr<const Segment>*>(value)));
  const auto [known, is_new] =
      objects_.emplace(type.get(value), static_cast<uint32_t>(objects_.size() + 1));
  out_.number(known->second);
  if (is_new) put(*type.element, type.data(value));
}

void Encoder::put(const CallTree& tree) {
  const bool sums = adds_up(tree);
  out_.number(static_cast<uint32_t>(tree.nodes.size()));
  out_.number(static_cast<uint8_t>(tree.paths | sums << 1));
  const size_t begin = out_.size();
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    out_.number(written_.number_of(node.function));
    out_.number(node.parent == CallNode::kNone ? 0 : i - node.parent);
    out_.number(node.self);
    if (!sums) out_.number(node.total);
  }
  out_.transpose(begin, node_bytes(sums));
  if (!sums) out_.number(tree.total);
}

// ---- to read ------------------------------------------------------------------------

const Layout& Layout::newest() {
  static const Layout layout = [] {
    Layout all;
    for (const Type* group : groups())
      for (const Field& field : group->fields) all.fields_[group].push_back(&field);
    return all;
  }();
  return layout;
}

void Layout::write(ByteWriter& out) {
  out.number(static_cast<uint32_t>(groups().size()));
  for (const Type* group : groups()) {
    out.text(group->name);
    out.number(static_cast<uint32_t>(group->fields.size()));
    for (const Field& field : group->fields) {
      out.text(field.name);
      out.text(field.type->name);
    }
  }
}

Layout Layout::read(ByteReader& in) {
  Layout layout;
  for (uint32_t left = in.count(); left > 0; --left) {
    const std::string_view name = in.text();
    const auto group = std::ranges::find(groups(), name, &Type::name);
    if (group == groups().end()) fail("it has a struct that this version does not know");
    std::vector<const Field*>& fields = layout.fields_[*group];
    for (uint32_t members = in.count(); members > 0; --members) {
      const std::string_view member = in.text(), type = in.text();
      const auto field = std::ranges::find((*group)->fields, member, &Field::name);
      if (field == (*group)->fields.end() || field->type->name != type)
        fail("it has a member that this version does not know");
      fields.push_back(&*field);
    }
  }
  return layout;
}

std::span<const Field* const> Layout::fields_of(const Type& group) const {
  const auto found = fields_.find(&group);
  return found == fields_.end() ? std::span<const Field* const>() : found->second;
}

size_t Layout::plain_bytes(const Type& type) const {
  switch (type.kind) {
    case Type::Kind::number:
      return type.size;
    case Type::Kind::choice:
      return 1;
    case Type::Kind::array:
      return type.size / type.element->size * plain_bytes(*type.element);
    case Type::Kind::group: {
      size_t bytes = 0;
      for (const Field* field : fields_of(type)) {
        const size_t more = plain_bytes(*field->type);
        if (more == 0) return 0;
        bytes += more;
      }
      return bytes;
    }
    default:
      return 0;
  }
}

void Decoder::get(const Type& type, void* value) {
  switch (type.kind) {
    case Type::Kind::number: {
      char bytes[sizeof(uint64_t)];
      std::memcpy(bytes, in_->raw(type.size).data(), type.size);
      swap_if_big(bytes, type.size);
      std::memcpy(value, bytes, type.size);
      return;
    }
    case Type::Kind::choice: {
      const auto number = in_->number<uint8_t>();
      if (number > type.last) fail("it has a value that this version does not know");
      std::memset(value, 0, type.size);
      *static_cast<uint8_t*>(
          at(value, std::endian::native == std::endian::big ? type.size - 1 : 0)) = number;
      return;
    }
    case Type::Kind::text:
      *static_cast<std::string*>(value) = text();
      return;
    case Type::Kind::group:
      for (const Field* field : layout_.fields_of(type))
        get(*field->type, at(value, field->offset));
      if (type.check) type.check(value);
      return;
    case Type::Kind::list: {
      const uint32_t count = in_->count();
      budget_.charge(uint64_t{count} * type.element->size);
      const size_t each = layout_.plain_bytes(*type.element);
      if (each == 0 || count == 0) return get_values(type, count, value);
      const std::string values = in_->transposed(count, each);
      ByteReader in(values);
      ByteReader* const outer = std::exchange(in_, &in);
      get_values(type, count, value);
      in_ = outer;
      return;
    }
    case Type::Kind::optional: {
      const auto count = in_->number<uint8_t>();
      if (count > 1) fail("a value is neither there nor not");
      return get_values(type, count, value);
    }
    case Type::Kind::array:
      return get_values(type, type.length(value), value);
    case Type::Kind::series:
      return get_series(type, value);
    case Type::Kind::shared:
      return get_shared(type, value);
    case Type::Kind::tree:
      return get(*static_cast<CallTree*>(value));
  }
}

void Decoder::get_values(const Type& type, size_t count, void* value) {
  if (type.resize) type.resize(value, count);
  void* const values = const_cast<void*>(type.data(value));  // they are the value's own
  for (size_t i = 0; i < count; ++i) get(*type.element, at(values, i * type.element->size));
}

// As it can be drawn on a terminal.
std::string Decoder::text() {
  const std::string_view text = in_->text();
  if (text.size() > kMostTextBytes) fail("a text is too long");
  budget_.charge(text.size());
  return printable(text);
}

void Decoder::get_series(const Type& type, void* value) {
  const auto list = in_->number<uint32_t>(), begin = in_->number<uint32_t>(),
             end = in_->number<uint32_t>();
  if (list == 0) return;
  if (list > shared_.lists.size()) fail("it refers to what is not there");
  const SharedValues::List& all = shared_.lists[list - 1];
  if (all.type != &type || begin > end || end > all.size) fail("it refers to what is not there");
  type.set_part(value, all.values, begin, end);
}

void Decoder::get_shared(const Type& type, void* value) {
  const auto number = in_->number<uint32_t>();
  if (number == 0) return type.set(value, nullptr);
  if (type.keeps) {
    if (number > shared_.segments.size()) fail("it refers to what is not there");
    *static_cast<std::shared_ptr<const Segment>*>(value) = shared_.segments[number - 1];
    return;
  }
  if (number > objects_.size() + 1) fail("it refers to what is not there");
  if (number == objects_.size() + 1) {
    const uint64_t before = budget_.left();
    budget_.charge(type.element->size + kObjectBytes);
    std::shared_ptr<void> object = type.make();
    get(*type.element, object.get());
    objects_.emplace_back(&type, std::move(object));
    object_bytes_ += before - budget_.left();
  }
  const auto& [of, object] = objects_[number - 1];
  if (of != &type) fail("it refers to what is not there");
  type.set(value, object);
}

void Decoder::get(CallTree& tree) {
  const uint32_t count = in_->count();
  const auto shape = in_->number<uint8_t>();
  if (shape >= 1 << 2) fail("a call tree has no such form");
  const bool sums = shape & 1 << 1;
  tree.paths = shape & 1;
  budget_.charge(count * (sizeof(CallNode) + sizeof(uint16_t)));
  tree.nodes.clear();
  tree.nodes.reserve(count);
  std::vector<uint16_t> depth(count);
  const std::string nodes = in_->transposed(count, node_bytes(sums));
  ByteReader in(nodes);
  for (uint32_t i = 0; i < count; ++i) {
    const auto name = in.number<uint32_t>(), up = in.number<uint32_t>();
    if (name >= shared_.names.size() || up > i) fail("a call tree refers to what is not there");
    const uint32_t parent = up == 0 ? CallNode::kNone : i - up;
    depth[i] = up == 0 ? 1 : depth[parent] + 1;
    if (depth[i] > kMostDepth) fail("a call tree is too deep");
    const auto self = in.number<uint64_t>();
    tree.nodes.push_back({shared_.names[name], parent, self, sums ? 0 : in.number<uint64_t>()});
  }
  if (sums)
    add_up(tree);
  else
    tree.total = in_->number<uint64_t>();
}

namespace {

void read_series(ByteReader& in, Decoder& decoder, Budget& budget, SharedValues& shared) {
  const auto number = in.number<uint32_t>();
  const auto of = in.number<uint8_t>();
  if (number > shared.lists.size() || of >= kSeriesTypes) fail("it refers to what is not there");
  const Type& type = series_type(of);
  if (number == shared.lists.size()) {
    budget.charge(sizeof(SharedValues::List) + kObjectBytes);
    shared.lists.push_back({&type, type.make()});
  }
  SharedValues::List& list = shared.lists[number];
  if (list.type != &type) fail("a series changes its type");
  for (uint32_t left = in.count(); left > 0; --left) {
    budget.charge(2 * type.element->size);  // while it grows it exists twice
    decoder.get(in, *type.element, type.add(list.values.get()));
    ++list.size;
  }
}

void read_times(ByteReader& in, Budget& budget, std::vector<uint64_t>& times) {
  const uint32_t count = in.count();
  if (count == 0) fail("a block has no frame");
  for (uint32_t i = 0; i < count; ++i) {
    const auto time = in.number<uint64_t>();
    if (!times.empty() && time <= times.back()) fail("its time does not go on");
    budget.charge(2 * sizeof time);
    times.push_back(time);
  }
}

}  // namespace

void read_shared(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared) {
  for (ByteReader in(raw); !in.empty();) {
    Decoder decoder(shared, layout, budget);
    switch (static_cast<SharedKind>(in.number<uint8_t>())) {
      case SharedKind::name: {
        std::string name;
        decoder.get(in, name);
        budget.charge(kNameBytes);
        shared.names.emplace_back(name);
        continue;
      }
      case SharedKind::series:
        read_series(in, decoder, budget, shared);
        continue;
      case SharedKind::segment: {
        budget.charge(sizeof(Segment) + kObjectBytes);
        auto segment = std::make_shared<Segment>();
        decoder.get(in, *segment);
        shared.segments.push_back(std::move(segment));
        continue;
      }
      case SharedKind::mark: {
        const uint64_t before = budget.left();
        RecordedMark& mark = shared.marks.emplace_back();
        decoder.get(in, mark);
        budget.charge(kMarkBytes + (kMarkTexts - 1) * (before - budget.left()));
        continue;
      }
      case SharedKind::times:
        read_times(in, budget, shared.times);
        continue;
    }
    fail("it has an entry that this version does not know");
  }
}

}  // namespace pipetop::recording

#include "engine/recording/shared_values.h"

#include <utility>

#include "engine/recording/walk.h"

namespace pipetop::recording {
namespace {

template <class T>
std::string full_bytes(const T& value, Written& written) {
  ByteWriter out;
  Walk(out, written, Form::full).fresh(value);
  return out.bytes();
}

// The memory of a name that is known by its number, beside the text.
constexpr uint64_t kNameBytes = 192;
// What `replay --info` makes of a mark: knobs and texts as JSON.
constexpr uint64_t kMarkBytes = 8 << 10, kMarkTexts = 8;

class SharedReader {
 public:
  SharedReader(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared)
      : in_(raw),
        walk_(in_, shared, layout, budget, Form::delta),
        budget_(budget),
        shared_(shared) {}

  void read() {
    while (!in_.empty()) read_entry(static_cast<SharedKind>(in_.byte()));
  }

 private:
  void read_entry(SharedKind what) {
    switch (what) {
      case SharedKind::name:
        budget_.charge(kNameBytes);
        budget_.charge_growth(shared_.names);
        shared_.names.emplace_back(read_text(in_, budget_));
        return;
      case SharedKind::point:
        return add<RatePoint>();
      case SharedKind::column:
        return add<OccupancyColumn>();
      case SharedKind::mark:
        return add<ChangeMark>();
      case SharedKind::notice:
        return add<Notice>();
      case SharedKind::segment:
        return add_new(shared_.segments);
      case SharedKind::host:
        return add_new(shared_.hosts);
      case SharedKind::recorded_mark:
        return add_mark();
      case SharedKind::times:
        return add_times();
      case SharedKind::series_point:
        return add_series_point();
    }
    fail("it has an entry that this version does not know");
  }

  // Written as what differs from the one before.
  template <class T>
  void add() {
    add_to(std::get<kListOf<T>>(shared_.lists));
  }
  void add_series_point() {
    const uint64_t number = in_.number();
    if (number > shared_.series.size()) fail("it refers to what is not there");
    if (number == shared_.series.size()) {
      budget_.charge(OwnedMemory::kBlock);
      budget_.charge_growth(shared_.series);
      shared_.series.emplace_back();
    }
    add_to(shared_.series[number]);
  }
  template <class T>
  void add_to(std::vector<T>& list) {
    T next = list.empty() ? T{} : list.back();
    budget_.charge(OwnedMemory::of(next));
    budget_.charge_growth(list);
    walk_.of(next, next);
    list.push_back(std::move(next));
  }
  template <class T>
  void add_new(std::vector<std::shared_ptr<const T>>& list) {
    budget_.charge(OwnedMemory::kBlock + sizeof(T));
    budget_.charge_growth(list);
    auto value = std::make_shared<T>();
    walk_.fresh(*value);
    list.push_back(std::move(value));
  }
  void add_mark() {
    budget_.charge(kMarkBytes);
    RecordedMark& mark = shared_.recorded_marks.emplace_back();
    walk_.fresh(mark);
    budget_.charge(kMarkTexts * OwnedMemory::of(mark));
  }
  void add_times() {
    const uint64_t count = in_.count();
    if (count == 0) fail("a block has no frame");
    uint64_t time = 0;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t since = in_.number();
      time += since;
      const bool goes_on = time >= since && (shared_.times.empty() || time > shared_.times.back());
      if (!goes_on) fail("its time does not go on");
      budget_.charge_growth(shared_.times);
      shared_.times.push_back(time);
    }
  }

  ByteReader in_;
  Walk<ByteReader> walk_;
  Budget& budget_;
  SharedValues& shared_;
};

}  // namespace

uint64_t Written::number_of(Function function) {
  if (function.number() >= names_.size()) names_.resize(Function::count());
  uint64_t& number = names_[function.number()];
  if (number == 0) {
    number = ++name_count_;
    begin_entry(SharedKind::name);
    shared_.text(function.name());
  }
  return number - 1;
}

uint64_t Written::number_of(const std::shared_ptr<const Segment>& segment) {
  if (!segment) return 0;
  uint64_t& number = segments_[segment];
  if (number != 0) return number;
  number = ++segment_count_;
  const std::string bytes = full_bytes(*segment, *this);  // the names in it come first
  begin_entry(SharedKind::segment);
  shared_.raw(bytes);
  return segment_count_;
}

uint64_t Written::number_of(const std::shared_ptr<const HostInfo>& host) {
  if (!host) return 0;
  if (host == host_) return host_count_;
  std::string bytes = full_bytes(*host, *this);
  host_ = host;
  if (bytes == host_bytes_) return host_count_;
  begin_entry(SharedKind::host);
  shared_.raw(bytes);
  host_bytes_ = std::move(bytes);
  return ++host_count_;
}

template <class T>
Range Written::place(std::span<const T> now) {
  return std::get<kListOf<T>>(lists_).place(now, [&](const T& value, const T& before) {
    begin_entry(static_cast<SharedKind>(static_cast<size_t>(SharedKind::point) + kListOf<T>));
    Walk(shared_, *this, Form::delta).of(value, before);
  });
}
template Range Written::place(std::span<const RatePoint>);
template Range Written::place(std::span<const OccupancyColumn>);
template Range Written::place(std::span<const ChangeMark>);
template Range Written::place(std::span<const Notice>);

std::pair<uint64_t, Range> Written::place_series(std::span<const RatePoint> now) {
  const size_t count = series_.size();
  size_t list = count;
  for (size_t i = 0; i < count && list == count; ++i)
    if (const size_t at = (next_series_ + i) % count; series_[at].points.known(now) > 0) list = at;
  const auto is_free = [](const SeriesList& one) { return one.points.empty() && !one.shown; };
  if (list == count)
    list = static_cast<size_t>(std::ranges::find_if(series_, is_free) - series_.begin());
  if (list == count) series_.emplace_back();
  next_series_ = list + 1;
  series_[list].shown = true;
  const Range range =
      series_[list].points.place(now, [&](const RatePoint& value, const RatePoint& before) {
        begin_entry(SharedKind::series_point);
        shared_.number(list);
        Walk(shared_, *this, Form::delta).of(value, before);
      });
  return {list, range};
}

void Written::forget_series() {
  for (SeriesList& list : series_)
    if (!std::exchange(list.shown, false)) list.points.forget();
}

void Written::add(const RecordedMark& mark) {
  begin_entry(SharedKind::recorded_mark);
  Walk(shared_, *this, Form::full).fresh(mark);
}

void Written::forget_segments(const Throughput& shown) {
  std::erase_if(segments_, [&](const auto& known) {
    return known.first != shown.previous &&
           std::ranges::find(shown.segments, known.first) == shown.segments.end();
  });
}

void read_shared(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared) {
  SharedReader(raw, layout, budget, shared).read();
}

}  // namespace pipetop::recording

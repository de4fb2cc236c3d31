#include "engine/recording/shared_reader.h"

#include <memory>
#include <utility>

#include "engine/recording/bytes.h"
#include "engine/recording/owned_memory.h"

namespace pipetop::recording {
namespace {

// Of a name that is known by its number, beside the text.
constexpr uint64_t kNameBytes = 192;
// What `replay --info` makes of a mark: knobs and texts as JSON.
constexpr uint64_t kMarkBytes = 8 << 10, kMarkTexts = 8;

class SharedReader {
 public:
  SharedReader(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared)
      : in_(raw), decoder_(in_, shared, layout, budget, false), budget_(budget), shared_(shared) {}

  void read() {
    while (!in_.empty()) read_entry(static_cast<SharedKind>(in_.byte()));
  }

 private:
  void read_entry(SharedKind what) {
    switch (what) {
      case SharedKind::name:
        budget_.charge(kNameBytes);
        budget_.charge_growth(shared_.names);
        shared_.names.emplace_back(decoder_.text());
        return;
      case SharedKind::point:
        return add(shared_.points);
      case SharedKind::column:
        return add(shared_.columns);
      case SharedKind::mark:
        return add(shared_.marks);
      case SharedKind::notice:
        return add(shared_.notices);
      case SharedKind::segment:
        return add_new(shared_.segments);
      case SharedKind::host:
        return add_new(shared_.hosts);
      case SharedKind::recorded_mark:
        return add_mark();
      case SharedKind::times:
        return add_times();
    }
    fail("it has an entry that this version does not know");
  }

  // Written as what differs from the one before.
  template <class T>
  void add(std::vector<T>& list) {
    T next = list.empty() ? T{} : list.back();
    budget_.charge(OwnedMemory::of(next));
    budget_.charge_growth(list);
    decoder_.get(next);
    list.push_back(std::move(next));
  }
  template <class T>
  void add_new(std::vector<std::shared_ptr<const T>>& list) {
    budget_.charge(OwnedMemory::kBlock + sizeof(T));
    budget_.charge_growth(list);
    auto value = std::make_shared<T>();
    decoder_.get_new(*value);
    list.push_back(std::move(value));
  }
  void add_mark() {
    budget_.charge(kMarkBytes);
    RecordedMark& mark = shared_.recorded_marks.emplace_back();
    decoder_.get_new(mark);
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
  Decoder decoder_;
  Budget& budget_;
  SharedValues& shared_;
};

}  // namespace

void read_shared(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared) {
  SharedReader(raw, layout, budget, shared).read();
}

}  // namespace pipetop::recording

#include "engine/recording/news_reader.h"

#include <memory>
#include <utility>

#include "engine/recording/bytes.h"
#include "engine/recording/heap.h"

namespace pipetop::recording {
namespace {

// Of a name that is known by its number, beside the text.
constexpr uint64_t kNameBytes = 192;
// What `replay --info` makes of a mark: knobs and texts as JSON.
constexpr uint64_t kMarkBytes = 8 << 10, kMarkTexts = 8;

class NewsReader {
 public:
  NewsReader(std::string_view raw, const Layout& layout, Budget& budget, Shelf& shelf)
      : in_(raw), decoder_(in_, shelf, layout, budget, false), budget_(budget), shelf_(shelf) {}

  void read() {
    while (!in_.empty()) read_entry(static_cast<News>(in_.byte()));
  }

 private:
  void read_entry(News what) {
    switch (what) {
      case News::name:
        budget_.charge(kNameBytes);
        budget_.charge_growth(shelf_.names);
        shelf_.names.emplace_back(decoder_.text());
        return;
      case News::point:
        return add(shelf_.points);
      case News::column:
        return add(shelf_.columns);
      case News::mark:
        return add(shelf_.marks);
      case News::notice:
        return add(shelf_.notices);
      case News::segment:
        return add_new(shelf_.segments);
      case News::host:
        return add_new(shelf_.hosts);
      case News::recorded_mark:
        return add_mark();
      case News::times:
        return add_times();
    }
    fail("it has an entry that this version does not know");
  }

  // Told by what differs from the one before.
  template <class T>
  void add(std::vector<T>& list) {
    T next = list.empty() ? T{} : list.back();
    budget_.charge(Heap::of(next));
    budget_.charge_growth(list);
    decoder_.get(next);
    list.push_back(std::move(next));
  }
  template <class T>
  void add_new(std::vector<std::shared_ptr<const T>>& list) {
    budget_.charge(Heap::kBlock + sizeof(T));
    budget_.charge_growth(list);
    auto value = std::make_shared<T>();
    decoder_.get_new(*value);
    list.push_back(std::move(value));
  }
  void add_mark() {
    budget_.charge(kMarkBytes);
    RecordedMark& mark = shelf_.recorded_marks.emplace_back();
    decoder_.get_new(mark);
    budget_.charge(kMarkTexts * Heap::of(mark));
  }
  void add_times() {
    const uint64_t count = in_.count();
    if (count == 0) fail("a block has no frame");
    uint64_t time = 0;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t since = in_.number();
      time += since;
      const bool goes_on = time >= since && (shelf_.times.empty() || time > shelf_.times.back());
      if (!goes_on) fail("its time does not go on");
      budget_.charge_growth(shelf_.times);
      shelf_.times.push_back(time);
    }
  }

  ByteReader in_;
  Decoder decoder_;
  Budget& budget_;
  Shelf& shelf_;
};

}  // namespace

void read_news(std::string_view raw, const Layout& layout, Budget& budget, Shelf& shelf) {
  NewsReader(raw, layout, budget, shelf).read();
}

}  // namespace pipetop::recording

#include "engine/recording/news_reader.h"

#include <memory>

#include "engine/recording/bytes.h"

namespace pipetop::recording {
namespace {

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
        charge<Function>(64);
        shelf_.names.emplace_back(Decoder::printable(in_.text()));
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
        charge<RecordedMark>();
        return decoder_.get_new(shelf_.recorded_marks.emplace_back());
      case News::times:
        return add_times();
    }
    fail("it has an entry that this version does not know");
  }

  template <class T>
  void charge(uint64_t more = 0) {
    budget_.charge(sizeof(T) + more);
  }

  // Told by what differs from the one before.
  template <class T>
  void add(std::vector<T>& list) {
    charge<T>();
    list.push_back(list.empty() ? T{} : list.back());
    decoder_.get(list.back());
  }
  template <class T>
  void add_new(std::vector<std::shared_ptr<const T>>& list) {
    charge<T>();
    auto value = std::make_shared<T>();
    decoder_.get_new(*value);
    list.push_back(std::move(value));
  }
  void add_times() {
    const uint64_t count = in_.count();
    budget_.charge_for<uint64_t>(count);
    uint64_t time = 0;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t since = in_.number();
      time += since;
      const bool goes_on = time >= since && (shelf_.times.empty() || time > shelf_.times.back());
      if (!goes_on) fail("its time does not go on");
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

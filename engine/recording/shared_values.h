// What a recording holds once, however many frames show it: names of functions, the histories,
// closed segments, the host. Frames refer to it by number.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/bytes.h"
#include "engine/recording/fields.h"
#include "engine/recording/recording_header.h"

namespace pipetop::recording {

// How an entry of the shared values begins: things that the frames after it refer to.
enum class SharedKind : uint8_t {
  name = 1,
  point,  // this and the next three: a value of `Listed`
  column,
  mark,
  notice,
  segment,
  host,
  recorded_mark,
  times,         // of the frames that follow
  series_point,  // of one of the series of watched pipes
};

// The values of which there are lists that grow at their end, in the order of SharedKind.
using Listed = std::tuple<RatePoint, OccupancyColumn, ChangeMark, Notice>;
template <class T>
inline constexpr size_t kListOf = index_of<T, Listed>();

// A list of each of them.
template <template <class> class List, class Values = Listed>
struct ListsOf;
template <template <class> class List, class... T>
struct ListsOf<List, std::tuple<T...>> {
  using Tuple = std::tuple<List<T>...>;
};

// Positions in a list that only grows.
struct Range {
  bool operator==(const Range&) const = default;

  uint64_t begin = 0, end = 0;
};

// The writer's side of a list: what of it can still be seen.
template <class T>
class SharedList {
 public:
  // Where `now` is in the list. Calls `add` with each value that is new, and the one before it.
  // Values leave at the front and come at the end; if anything else happened, all count as new.
  template <class Add>
  Range place(std::span<const T> now, Add add) {
    const size_t old = known(now);
    seen_.erase(seen_.begin(), seen_.end() - static_cast<ptrdiff_t>(old));
    for (const T& value : now.subspan(old)) {
      add(value, last_);
      last_ = value;
      seen_.push_back(value);
      ++end_;
    }
    return {end_ - seen_.size(), end_};
  }

  // How many of these it ends with.
  size_t known(std::span<const T> now) const {
    const auto first = now.empty() ? seen_.end() : std::ranges::find_if(seen_, [&](const T& value) {
      return Equal::of(value, now.front());
    });
    const auto old = static_cast<size_t>(seen_.end() - first);
    const bool goes_on =
        old <= now.size() && std::equal(first, seen_.end(), now.begin(),
                                        [](const T& a, const T& b) { return Equal::of(a, b); });
    return goes_on ? old : 0;
  }
  bool empty() const { return seen_.empty(); }
  // Nobody sees it any more.
  void forget() { seen_.clear(); }

 private:
  std::vector<T> seen_;
  T last_{};  // that was added
  uint64_t end_ = 0;
};

// What was written once, and the bytes that tell of it.
class Written {
 public:
  uint64_t number_of(Function function);
  uint64_t number_of(const std::shared_ptr<const Segment>& segment);  // 0 for null, else from 1
  uint64_t number_of(const std::shared_ptr<const HostInfo>& host);    // likewise
  template <class T>
  Range place(std::span<const T> now);
  // A series of a watched pipe: the number of its list, from 0, and its place there. Lists are
  // found by what they hold: a pipe goes on in the one that ends with its points.
  std::pair<uint64_t, Range> place_series(std::span<const RatePoint> now);
  void add(const RecordedMark& mark);
  // After a snapshot that was written in full: series that nothing has shown since the last one.
  void forget_series();
  // Those that are no longer shown.
  void forget_segments(const Throughput& shown);

  ByteWriter& shared() { return shared_; }

 private:
  void begin_entry(SharedKind what) { shared_.byte(static_cast<uint8_t>(what)); }

  ByteWriter shared_;
  std::vector<uint64_t> names_;  // by Function::number(); 0: not yet written, else its number + 1
  uint64_t name_count_ = 0;
  ListsOf<SharedList>::Tuple lists_;
  struct SeriesList {
    SharedList<RatePoint> points;
    bool shown = false;
  };
  std::vector<SeriesList> series_;
  size_t next_series_ = 0;  // where the search begins: snapshots have the same order
  // Those that the newest snapshot shows. Holding them keeps their addresses from being used again.
  std::unordered_map<std::shared_ptr<const Segment>, uint64_t> segments_;
  uint64_t segment_count_ = 0;
  std::shared_ptr<const HostInfo> host_;
  std::string host_bytes_;
  uint64_t host_count_ = 0;
};

// The reader's side.
template <class T>
using ReadList = std::vector<T>;
struct SharedValues {
  std::vector<Function> names;
  ListsOf<ReadList>::Tuple lists;
  std::vector<std::vector<RatePoint>> series;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<std::shared_ptr<const HostInfo>> hosts;
  std::vector<RecordedMark> recorded_marks;
  std::vector<uint64_t> times;  // of the frames
};

class Budget;

// Adds what the bytes of a block hold. Throws Error.
void read_shared(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared);

}  // namespace pipetop::recording

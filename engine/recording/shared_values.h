// What a recording holds once, however many frames show it: names of functions, the histories,
// closed segments, the host. Frames refer to it by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/equal.h"
#include "engine/recording/recording_header.h"

namespace pipetop::recording {

// How an entry of the shared values begins: things that the frames after it refer to.
enum class SharedKind : uint8_t {
  name = 1,
  point,
  column,
  mark,
  notice,
  segment,
  host,
  recorded_mark,
  times,  // of the frames that follow
};

// Positions in a list that only grows.
struct Range {
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
    const auto first = now.empty() ? seen_.end() : std::ranges::find_if(seen_, [&](const T& value) {
      return Equal::of(value, now.front());
    });
    size_t old = static_cast<size_t>(seen_.end() - first);
    const bool goes_on =
        old <= now.size() && std::equal(first, seen_.end(), now.begin(),
                                        [](const T& a, const T& b) { return Equal::of(a, b); });
    if (!goes_on) old = 0;
    seen_.erase(seen_.begin(), seen_.end() - static_cast<ptrdiff_t>(old));
    for (const T& value : now.subspan(old)) {
      add(value, last_);
      last_ = value;
      seen_.push_back(value);
      ++end_;
    }
    return {end_ - seen_.size(), end_};
  }

 private:
  std::vector<T> seen_;
  T last_{};  // that was added
  uint64_t end_ = 0;
};

// The reader's side.
struct SharedValues {
  std::vector<Function> names;
  std::vector<RatePoint> points;
  std::vector<OccupancyColumn> columns;
  std::vector<ChangeMark> marks;
  std::vector<Notice> notices;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<std::shared_ptr<const HostInfo>> hosts;
  std::vector<RecordedMark> recorded_marks;
  std::vector<uint64_t> times;  // of the frames
};

}  // namespace pipetop::recording

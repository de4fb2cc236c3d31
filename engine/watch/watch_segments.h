// The segments of the open pipeline: what it did from one change to the next. All rates of a
// segment are of one pipe, the one by which the change that began it is measured.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/meter/rate_meter.h"
#include "engine/model/pipeline.h"
#include "engine/model/snapshot.h"

namespace pipetop {

class WatchSegments {
 public:
  explicit WatchSegments(uint64_t now_ns);

  // Something was changed: ends the current segment, of which this is known, and begins another. Of
  // no pipe: by the same one as before.
  void begin(uint64_t now_ns, const Pipeline& seen, std::vector<SegmentRole> stages,
             std::optional<PipeId> measured, std::string label, std::string key);

  // By default the first pipe that two processes share.
  std::optional<PipeId> measured_in(const Pipeline& seen) const;

  Throughput throughput(uint64_t now_ns, const Pipeline& seen) const;
  // From the segment before to the current one, whose rates and stages these are.
  Reading<Change> change(Segment current, std::vector<SegmentRole> stages) const;

 private:
  Segment present(uint64_t now_ns, const Pipeline& seen, std::optional<PipeId> measured) const;

  Segment current_;  // number to begin_ns
  std::optional<PipeId> measured_;
  uint64_t begin_bytes_ = 0;                  // of that pipe
  std::shared_ptr<const Segment> reference_;  // the one before, by the same pipe
  std::vector<ChangeMark> marks_;             // oldest first
  SegmentLog log_;
};

// The time of a stage as a segment has it.
TimeShares time_shares(const Reading<StageShares>& seen);

// The stages of a segment, with these shares; none given: with those of the window.
using SharesOf = std::function<Reading<StageShares>(const Stage&)>;
std::vector<SegmentRole> stages_of(const Pipeline& seen, const SharesOf& shares_of = {});

// The current segment as it was when a user kept it. It has the rates of all pipes, because a later
// change may be measured by another one.
struct KeptSegment {
  std::shared_ptr<const Segment> segment;
  std::map<PipeId, Reading<RateStats>> rates;
};
// `now` has an open pipeline.
KeptSegment keep_segment(const Snapshot& now);

// From the kept segment to the current one. Unavailable while they are the same.
Reading<Change> change_since(const KeptSegment& kept, const Snapshot& now);

}  // namespace pipetop

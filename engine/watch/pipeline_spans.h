// What the open pipeline did over a span of time: where the time of its stages went and how full
// its rings were over the last seconds; and its segments, from one change to the next.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/meter/rate_meter.h"
#include "engine/model/pipeline.h"
#include "engine/model/snapshot.h"
#include "engine/observe/stage_observer.h"
#include "engine/process/proc_files.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

// How a stage spends its time.
struct StageTimes {
  Reading<StageShares> shares;
  std::vector<ThreadPipe> blocked_in = {};
  uint64_t wall_ns = 0;  // that these are of: until it exited
};

// The differences of cumulative counts.
class PipelineWindow {
 public:
  static constexpr uint64_t kAllTime = UINT64_MAX;
  static constexpr uint64_t kLeast_ns = 200'000'000;

  explicit PipelineWindow(uint64_t window_ns) : window_ns_(window_ns) {}

  // The counts now. What is no longer counted keeps its last values until they leave the window.
  void add(uint64_t now_ns, const std::vector<observe::ThreadTimes>& times,
           const std::vector<observe::RingTally>& samples);

  // Forgets all others: a window of all time keeps what was ever counted.
  void keep(const std::set<ProcessId>& processes, const std::set<PipeId>& pipes);

  // Forgets all before the next add().
  void restart() { marks_.clear(); }
  // The same, and what was counted: counts begin anew.
  void clear();

  // How much of it has passed: up to a tenth more than asked for.
  uint64_t length_ns() const { return marks_.empty() ? 0 : now_ns_ - marks_.front().at_ns; }

  // Of a process that was watched for so long at least.
  Reading<StageShares> shares(ProcessId process, uint64_t least_ns = kLeast_ns) const;
  // The same, and Stage::blocked_in, which is empty if there are no shares.
  StageTimes times(ProcessId process, uint64_t least_ns = kLeast_ns) const;
  Reading<RingLevel> ring(PipeId pipe) const;
  // Of a process in a scan, by descending time on a CPU or runnable: at most Stage::kMostThreads.
  // Only these are asked for the bytes of their calls, a file each.
  std::vector<StageThread> threads(ProcessId process, const ScanIndex& index,
                                   const std::function<std::optional<ProcessIo>(pid_t tid)>& io);

 private:
  // The last that is known of a thread or a ring.
  struct Counted {
    observe::ThreadTimes times;
    uint64_t at_ns = 0;
    std::optional<ProcessIo> io = {}, first_io = {};  // once it was asked for
  };
  struct Counts {
    std::map<observe::ThreadId, Counted> threads;
    std::map<PipeId, observe::RingTally> rings;
  };
  struct Mark {
    uint64_t at_ns;
    Counts counts;
  };

  observe::ThreadTimes since_mark(const observe::ThreadId& id,
                                  const observe::ThreadTimes& now) const;
  ProcessIo io_since_mark(const observe::ThreadId& id, const ProcessIo& now);
  StageThread thread(const ScannedTask& task, const ScanIndex& index) const;
  // The largest share of the window that a thread slept in long reads, or writes, of this pipe.
  double slept_in(PipeId pipe, bool writing) const;
  void drop_old_marks();

  uint64_t window_ns_, now_ns_ = 0;
  Counts latest_;
  std::deque<Mark> marks_;  // oldest first: the window begins at the first
};

// All rates are of one pipe, the first one of what was changed: those of its other pipes differ, so
// that they could not be compared from segment to segment. Size and use are of the pipe that was
// changed.
class WatchSegments {
 public:
  explicit WatchSegments(uint64_t now_ns);

  // Something was changed: ends the current segment, of which this is known, and begins another. Of
  // no pipe: the same one as before.
  void begin(uint64_t now_ns, const Pipeline& seen, std::vector<SegmentRole> stages,
             std::optional<PipeId> changed, std::string label, std::string key);

  // Whose rates they are.
  std::optional<PipeId> measured_in(const Pipeline& seen) const;

  Throughput throughput(uint64_t now_ns, const Pipeline& seen) const;
  // From the segment before to the current one, whose rates and stages these are.
  Reading<Change> change(Segment current, std::vector<SegmentRole> stages) const;

 private:
  Segment present(uint64_t now_ns, const Pipeline& seen, std::optional<PipeId> measured,
                  std::optional<PipeId> changed) const;

  Segment current_;  // number to begin_ns
  std::optional<PipeId> measured_, changed_;
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

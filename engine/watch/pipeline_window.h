// Where the time of a pipeline's stages went, and how full its rings were, over the last seconds:
// the differences of cumulative counts.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/model/pipeline.h"
#include "engine/observe/stage_observer.h"

namespace pipetop {

class PipelineWindow {
 public:
  static constexpr uint64_t kAllTime = UINT64_MAX;

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

  Reading<StageShares> shares(ProcessId process) const;
  Reading<RingLevel> ring(PipeId pipe) const;

 private:
  // The last that is known of a thread or a ring.
  struct Counted {
    observe::ThreadTimes times;
    uint64_t at_ns = 0;
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
  void drop_old_marks();

  uint64_t window_ns_, now_ns_ = 0;
  Counts latest_;
  std::deque<Mark> marks_;  // oldest first: the window begins at the first
};

}  // namespace pipetop

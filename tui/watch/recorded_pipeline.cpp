#include "tui/watch/recorded_pipeline.h"

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"

namespace pipetop::tui {

bool shows_pipeline(Recording& recording) { return recording.frame(0).watched.has_value(); }

std::shared_ptr<const Snapshot> RecordedPipeline::tick(uint64_t) {
  if (transport_) {
    transport_->tick();
    frame_ = transport_->frame();
  }
  if (shown_ != frame_) now_ = std::make_shared<const Snapshot>(recording_.frame(frame_));
  shown_ = frame_;
  return now_;
}

// A recording names at most as many as a machine has.
std::vector<int> RecordedPipeline::cpus() const {
  constexpr int kMostCpus = 1 << 13;
  std::vector<int> all(
      static_cast<size_t>(std::clamp(recording_.header().host.cpus, 0, kMostCpus)));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void RecordedPipeline::refuse() { throw Error("a recording cannot be changed"); }

}  // namespace pipetop::tui

#include "tui/watch/recorded_pipeline.h"

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"

namespace pipetop::tui {

bool shows_pipeline(Recording& recording) {
  constexpr auto kScene = RecordedMark::Kind::scene;
  return recording.frame(0).watched &&
         std::ranges::find(recording.marks(), kScene, &RecordedMark::kind) ==
             recording.marks().end();
}

void RecordedPipeline::show(const Snapshot& frame) {
  if (!now_ || now_->now_ns != frame.now_ns) now_ = std::make_shared<const Snapshot>(frame);
}

std::shared_ptr<const Snapshot> RecordedPipeline::tick(uint64_t) {
  if (transport_) show(transport_->tick());
  return now_;
}

// A recording names at most as many as a machine has.
std::vector<int> RecordedPipeline::cpus() const {
  constexpr int kMostCpus = 1 << 13;
  std::vector<int> all(static_cast<size_t>(std::clamp(cpus_, 0, kMostCpus)));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void RecordedPipeline::refuse() { throw Error("a recording cannot be changed"); }

}  // namespace pipetop::tui

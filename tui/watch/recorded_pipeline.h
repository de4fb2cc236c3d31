// A recorded pipeline in the place of a watcher. Nothing in it can be changed.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/recording/recording.h"
#include "engine/watch/watch_source.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// Whether `watch` has recorded it. A talk has scenes; some may show a pipeline.
inline bool shows_pipeline(Recording& recording) {
  constexpr auto kScene = RecordedMark::Kind::scene;
  return recording.frame(0).watched &&
         std::ranges::find(recording.marks(), kScene, &RecordedMark::kind) ==
             recording.marks().end();
}

class RecordedPipeline final : public WatchSource {
 public:
  // Of a machine with so many CPUs. The transport, which outlives it, says which frame is shown;
  // without one show() does.
  explicit RecordedPipeline(int cpus, Transport* transport = nullptr)
      : cpus_(cpus), transport_(transport) {}

  void show(const Snapshot& frame) {
    if (!now_ || now_->now_ns != frame.now_ns) now_ = std::make_shared<const Snapshot>(frame);
  }

  std::shared_ptr<const Snapshot> tick(uint64_t) override {
    if (transport_) show(transport_->tick());
    return now_;
  }
  void open(PipeId) override { refuse(); }
  void close() override {}
  void select(std::optional<ProcessId>) override {}
  // Throw Error.
  void count_bytes(bool) override { refuse(); }
  std::string resize(PipeId, bool) override { refuse(); }
  std::string undo() override { refuse(); }
  std::string undo_all() override { refuse(); }
  std::vector<std::string> finish_changes() override { return {}; }
  void keep_changes() override {}
  // Those of the machine that it was recorded on.
  size_t cpus() const override { return static_cast<size_t>(std::max(cpus_, 0)); }

 private:
  [[noreturn]] static void refuse() { throw Error("a recording cannot be changed"); }

  int cpus_;
  Transport* transport_;
  std::shared_ptr<const Snapshot> now_;
};

}  // namespace pipetop::tui

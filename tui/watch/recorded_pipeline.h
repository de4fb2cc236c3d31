// A recorded pipeline in the place of a watcher. Nothing in it can be changed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/recording/recording.h"
#include "engine/watch/watch_source.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// Whether `watch` has recorded it.
bool shows_pipeline(Recording& recording);

class RecordedPipeline final : public WatchSource {
 public:
  // They outlive it. Without a transport it shows the frame that go_to() names.
  explicit RecordedPipeline(Recording& recording, Transport* transport = nullptr)
      : recording_(recording), transport_(transport) {}

  void go_to(size_t frame) { frame_ = frame; }
  uint64_t now_ns() { return recording_.frame(frame_).now_ns; }

  std::shared_ptr<const Snapshot> tick(uint64_t now_ns) override;
  void open(PipeId) override { refuse(); }
  void close() override {}
  void select(std::optional<ProcessId>) override {}
  // Throw Error.
  void count_bytes(bool) override { refuse(); }
  std::string resize(PipeId, bool) override { refuse(); }
  std::string renice(ProcessId, int) override { refuse(); }
  std::string pin(ProcessId, std::span<const int>) override { refuse(); }
  std::string undo() override { refuse(); }
  std::string undo_all() override { refuse(); }
  std::vector<std::string> finish_changes() override { return {}; }
  void keep_changes() override {}
  // The CPUs of the machine that it was recorded on.
  std::vector<int> cpus() const override;

 private:
  [[noreturn]] static void refuse();

  Recording& recording_;
  Transport* transport_;
  size_t frame_ = 0;
  std::optional<size_t> shown_;  // the frame of `now_`
  std::shared_ptr<const Snapshot> now_;
};

}  // namespace pipetop::tui

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

// Whether `watch` has recorded it. A talk has scenes; some may show a pipeline.
bool shows_pipeline(Recording& recording);

class RecordedPipeline final : public WatchSource {
 public:
  // Of a machine with so many CPUs. The transport, which outlives it, says which frame is shown;
  // without one show() does.
  explicit RecordedPipeline(int cpus, Transport* transport = nullptr)
      : cpus_(cpus), transport_(transport) {}

  void show(const Snapshot& frame);

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

  int cpus_;
  Transport* transport_;
  std::shared_ptr<const Snapshot> now_;
};

}  // namespace pipetop::tui

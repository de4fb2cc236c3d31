#include "engine/process/placement.h"
#include "engine/process/threads.h"
#include "engine/watch/watcher.h"
#include "tui/watch/watch_screen.h"
#include "tui/watch/watch_source.h"

namespace pipetop::tui {
namespace {

class WatcherSource final : public WatchSource {
 public:
  explicit WatcherSource(Watcher& watcher) : watcher_(watcher) {}

  std::shared_ptr<const WatchSnapshot> tick(uint64_t now_ns) override {
    return watcher_.tick(now_ns);
  }
  void open(PipeId pipe) override { watcher_.open(pipe); }
  void close() override { watcher_.close(); }
  void select(std::optional<ProcessId> stage) override { watcher_.select(stage); }
  void count_bytes(bool on) override { watcher_.count_bytes(on); }
  std::string resize(PipeId pipe, bool larger) override { return watcher_.resize(pipe, larger); }
  std::string renice(ProcessId stage, int nice) override { return watcher_.renice(stage, nice); }
  std::string pin(ProcessId stage, std::span<const int> cpus) override {
    return watcher_.pin(stage, cpus);
  }
  std::string undo() override { return watcher_.undo(); }
  std::string undo_all() override { return watcher_.undo_all(); }
  std::vector<std::string> finish_changes() override { return watcher_.finish_changes(); }
  void keep_changes() override { watcher_.keep_changes(); }

  std::string user_of(ProcessId process) const override { return pipetop::user_of(process); }
  bool can_lower_nice(ProcessId process, int nice) const override {
    return pipetop::can_lower_nice(process, nice);
  }

  std::vector<int> cpus() const override {
    std::vector<int> numbers;
    for (const Cpu& cpu : read_topology()) numbers.push_back(cpu.number);
    return numbers;
  }

 private:
  Watcher& watcher_;
};

}  // namespace

std::unique_ptr<WatchSource> source_of(Watcher& watcher) {
  return std::make_unique<WatcherSource>(watcher);
}

int run_watch_screen(Watcher& watcher, const Config& config, const WatchScreenOptions& options) {
  return run_watch_screen(*source_of(watcher), config, options);
}

}  // namespace pipetop::tui

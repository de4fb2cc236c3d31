// Invented snapshots for the screen of `watch`, which answer to its keys; what it was asked for is
// kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/watch/watch_source.h"
#include "tui/tests/fake_pipelines.h"

namespace pipetop::tui {

class FakeWatchSource final : public WatchSource {
 public:
  explicit FakeWatchSource(Snapshot first) : now(std::move(first)) {}

  // The snapshot of the next tick, but for its time. A change of it has to be told.
  Snapshot now;
  void changed() { last_.reset(); }

  // Each tick is another one, in which the rings turn by so many slots.
  uint32_t turns = 0;
  // What open() shows; by default the first pipeline that has the pipe, else a chain of four.
  std::function<Pipeline()> opens = [] { return fake_chain(4); };
  std::string refuses = {};        // what the next change throws
  std::vector<std::string> left;   // what cannot be put back at the end
  std::vector<std::string> asked;  // "open 81001", "resize 81001 larger", ...

  std::shared_ptr<const Snapshot> tick(uint64_t now_ns) override;
  void open(PipeId pipe) override;
  void close() override;
  void select(std::optional<ProcessId> stage) override;
  void count_bytes(bool on) override;
  std::string resize(PipeId pipe, bool larger) override;
  std::string undo() override;
  std::string undo_all() override;
  std::vector<std::string> finish_changes() override;
  void keep_changes() override;
  std::string user_of(ProcessId) const override { return "alice"; }
  size_t cpus() const override { return 4; }

 private:
  void refuse();
  void turn_rings();

  std::shared_ptr<const Snapshot> last_;
};

}  // namespace pipetop::tui

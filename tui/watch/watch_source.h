// What the screen of `watch` needs from the engine: the Watcher or, in tests, invented snapshots.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/watch/pipeline.h"

namespace pipetop {
class Watcher;
}

namespace pipetop::tui {

class WatchSource {
 public:
  virtual ~WatchSource() = default;

  // As in Watcher. The same pointer as before if nothing is new.
  virtual std::shared_ptr<const WatchSnapshot> tick(uint64_t now_ns) = 0;
  virtual void open(PipeId pipe) = 0;
  virtual void close() = 0;
  virtual void select(std::optional<ProcessId> stage) = 0;
  virtual void count_bytes(bool on) = 0;
  virtual std::string resize(PipeId pipe, bool larger) = 0;
  virtual std::string renice(ProcessId stage, int nice) = 0;
  virtual std::string pin(ProcessId stage, std::span<const int> cpus) = 0;
  virtual std::string undo() = 0;
  virtual std::string undo_all() = 0;
  virtual std::vector<std::string> finish_changes() = 0;
  virtual void keep_changes() = 0;

  // The name of its user; "" if it isn't known.
  virtual std::string user_of(ProcessId process) const = 0;
  // Whether it can be given this nice value again when it has a higher one.
  virtual bool can_lower_nice(ProcessId process, int nice) const = 0;

  // All that a process can be pinned to, in ascending order.
  virtual std::vector<int> cpus() const = 0;
};

// The watcher must outlive the result.
std::unique_ptr<WatchSource> source_of(Watcher& watcher);

}  // namespace pipetop::tui

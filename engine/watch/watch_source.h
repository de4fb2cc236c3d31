// What the screen of `watch` needs: a Watcher or, in tests, invented snapshots.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/process/threads.h"

namespace pipetop {

class WatchSource {
 public:
  virtual ~WatchSource() = default;

  // To be called about every WatchOptions::pipeline_ns; passes over the machine are made when they
  // are due. Cheap between them. The same pointer as before if nothing is new.
  virtual std::shared_ptr<const Snapshot> tick(uint64_t now_ns) = 0;

  // Looks closer at the pipeline of a pipe; throws Error if there is none.
  virtual void open(PipeId pipe) = 0;
  virtual void close() = 0;
  // Functions of this stage, too, beside those of the one to blame.
  virtual void select(std::optional<ProcessId> stage) = 0;
  virtual void count_bytes(bool on) = 0;  // throws Error

  // Changes of other people's pipes: only when a user asks. Each returns what to say. Throws
  // Error, with why and remedy.
  virtual std::string resize(PipeId pipe, bool larger) = 0;
  // The last one, or all of them. What can't be put back now stays, and is tried again by tick().
  virtual std::string undo() = 0;
  virtual std::string undo_all() = 0;
  // At the end; looks at nothing. Returns what could not be put back, a line each, with the command
  // that would do it.
  virtual std::vector<std::string> finish_changes() = 0;
  virtual void keep_changes() = 0;

  // The name of its user; "" if it isn't known.
  virtual std::string user_of(ProcessId process) const { return pipetop::user_of(process); }
  // How many a process can run on.
  virtual size_t cpus() const { return cpus_of(0).size(); }
};

}  // namespace pipetop

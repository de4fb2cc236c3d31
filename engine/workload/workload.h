// What pipetop drives: the one interface that a workload implements.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/control_block.h"
#include "engine/model/knob.h"
#include "engine/model/presets.h"
#include "engine/model/progress.h"
#include "engine/model/snapshot.h"
#include "engine/model/terms.h"
#include "engine/process/worker_pool.h"
#include "engine/workload/capabilities.h"

namespace pipetop {

// What the engine has seen of it.
struct Seen {
  bool settled = false;
  // Of the slots filled since all is in force; it outweighs what was probed.
  Reading<std::array<double, kSlotKinds>> kinds;
  // Where each role, if it is one process, has run since it was placed; nothing
  // while it has not.
  std::array<std::optional<int>, kRoles> run_on;
};

// What it is given, for all its life.
struct WorkloadContext {
  const Capabilities& machine;
  WorkerPool& pool;
};

class Workload {
 public:
  virtual ~Workload() = default;

  // Makes `requested`, which are valid, the settings: adds and removes workers,
  // places them, tells them. Returns at once. Throws Error when there can be no
  // process; what else is refused is told by effective().
  virtual void begin(const Settings& requested) = 0;

  // Does the next step if it can be done. True when everything is in force. It is
  // called every few milliseconds until then.
  virtual bool advance() = 0;

  // All workers shall finish and exit.
  virtual void quit() = 0;

  // A worker has died; there is no successor yet.
  virtual void died(const Worker&) {}

  // Looks again at what may change by itself; called at every tick while all is in
  // force. What it finds is told by effective(), figures() and notices().
  virtual void watch(uint64_t now_ns) { (void)now_ns; }

  virtual Progress progress() const = 0;
  virtual std::vector<PartProgress> parts() const = 0;
  virtual Effective effective(const Seen& seen) const = 0;

  // An end of the pipe to look at, open in this process for all its life; -1 if
  // there is none.
  virtual int pipe_fd() const { return -1; }

  // What more is known of it, e.g. the memory that a rule takes.
  virtual std::vector<Figure> figures(const Throughput&) const { return {}; }
  // What a role does, for its title: the technique, then details.
  virtual std::vector<std::string> technique(Role role, const Effective& effective) const = 0;
  virtual Reading<Integrity> integrity() const;  // totals only
  virtual Reading<Verdict> verdict(const Snapshot&) const;
  // What has come to light since it was last asked.
  virtual std::vector<Notice> notices() { return {}; }
};

// A row of the table of workloads.
struct WorkloadEntry {
  WorkloadKind kind;
  WorkloadTerms terms;
  std::span<const Knob> (*knobs)();
  std::span<const HotKey> (*hot_keys)();
  std::span<const Preset> (*presets)();                       // the first is where to start
  void (*validate)(const Settings&);                          // throws Error
  std::unique_ptr<Workload> (*make)(const WorkloadContext&);  // throws Error
  int (*work)(ControlBlock&, Role);                           // in the worker's process, to its end
};

}  // namespace pipetop

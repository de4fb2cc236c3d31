// A workload: what pipetop drives. The interface to implement.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/host/machine_limits.h"
#include "engine/meter/rewritten_slots.h"
#include "engine/model/control_block.h"
#include "engine/model/counts.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/process/worker_pool.h"

namespace pipetop {

// The engine's observations of it.
struct Seen {
  // From the slots filled since everything is in effect; takes precedence over the probe.
  Reading<std::array<double, kSlotKinds>> kinds;
  // The CPU on which each role, if it is one process, has run since it was placed;
  // nothing if it has not run.
  std::array<std::optional<int>, kRoles> run_on;
};

// Its environment, valid for its lifetime.
struct WorkloadContext {
  const Capabilities& machine;
  WorkerPool& pool;
};

class Workload {
 public:
  virtual ~Workload() = default;

  // Applies `requested`, which must be valid: adds and removes workers, places
  // them, sends commands. Returns at once. Throws Error if a process cannot be
  // started; any other failure is reported by effective().
  virtual void begin(const Settings& requested) = 0;

  // Does the next step if possible. True when everything is in effect. It is called
  // every few milliseconds until then.
  virtual bool advance() = 0;

  // Tells all workers to finish and exit.
  virtual void quit() = 0;

  // A worker has died and has no successor yet.
  virtual void died(const Worker&) {}

  // Checks what may change by itself; called on every tick while everything is in
  // effect. Results are in effective(), figures() and notices().
  virtual void watch(uint64_t now_ns) { (void)now_ns; }

  // In single steps: allows that role one operation. False if it has not made the last one yet.
  virtual bool step(Role) { return false; }

  // Until `now_ns`, which is now.
  virtual Progress progress(uint64_t now_ns) const = 0;
  virtual std::vector<PartProgress> parts() const = 0;
  virtual Effective effective(const Seen& seen) const = 0;  // but for `settled`

  // An end of the pipe to observe, open for its whole lifetime; -1 if there is
  // none.
  virtual int pipe_fd() const { return -1; }

  // What went into the observed pipe, and out of it.
  virtual std::optional<Passage> passage() const { return {}; }

  // Why the value of a knob cannot be had on this machine; "" if it can, or if only a try tells.
  virtual std::string obstacle(const Settings&, std::string_view) const { return {}; }

  // Further figures, e.g. the memory per rule.
  virtual std::vector<Figure> figures(const Throughput&) const { return {}; }
  // What a role does, for the panel's title: the technique, then details.
  virtual std::vector<std::string> technique(Role role, const Effective& effective) const = 0;
  virtual Reading<Integrity> integrity() const {  // totals only
    return Reading<Integrity>::unavailable("only the pages of a pipe are checked");
  }
  virtual Reading<Verdict> verdict(const Snapshot&) const {
    return Reading<Verdict>::unavailable("the verdict is for pipes only");
  }
  // Events since the last call.
  virtual std::vector<Notice> notices() { return {}; }
};

// ---- what workloads share ----

// One part per worker: "client 1", ... `clock_ns` is the time that its counts took; nullptr: the
// wall time.
std::vector<PartProgress> parts_of(std::span<const Worker* const> workers, std::string_view name,
                                   uint64_t (*clock_ns)(const WorkerCounts&) = nullptr);

// For a knob of `knobs` whose effective value is not the requested one.
Mismatch mismatch_of(std::span<const Knob> knobs, std::string_view name, const Settings& requested,
                     const Settings& effective, std::string reason);

// That can be had without swapping. It includes the page cache of files, but not memfds. 0:
// unknown, before Linux 3.14.
uint64_t available_memory_bytes();

// What shows that a technique lends pages.
struct Lending {
  SlotKind kind;
  std::string_view seen;    // description of the pages
  std::string_view copier;  // what makes the copies, if there are any
};
inline constexpr Lending kFileLending = {SlotKind::page_cache, "pages of the page cache",
                                         "splice from a file (copy_splice_read)"};

// Sets zero_copy and its reason, from the slots seen, else from the probe.
void judge_lending(const Lending& lending, const Seen& seen, const ZeroCopyProbe& probe,
                   EffectivePipe& pipe);

}  // namespace pipetop

// What BPF sees of a pipe and its two processes: functions, switches, slots, occupancy.
// Each part alone can be unavailable, with a reason and a remedy; occupancy then
// falls back to FIONREAD at a low rate.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/model/observing.h"
#include "engine/model/snapshot.h"
#include "engine/model/task_times.h"
#include "engine/observe/call_counter.h"

namespace pipetop {

struct ObserverOptions {
  BpfUse bpf = BpfUse::automatic;
  uint32_t frequency_hz = 999;
  uint64_t functions_window_ns = 5'000'000'000;  // 0: all since restart()
  // An end of the observed pipe, open in this process; borrowed. -1: there is none.
  int pipe_fd = -1;
};

class Observers {
 public:
  // Never throws for want of privilege: what cannot be had becomes a reading
  // that says why.
  explicit Observers(const ObserverOptions& options);
  ~Observers();
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  // The processes that play a role from now on.
  void watch(Role role, std::span<const pid_t> pids);
  void watch(Role role, pid_t pid) { watch(role, std::span(&pid, pid > 0 ? 1u : 0u)); }

  // Stops and starts all of it; what was read last stays. It runs at first.
  void run(bool on);

  // How BPF's programs count from now on; a record a CPU at first. With a shared
  // one a CPU whose clock stops when idle can no longer be left out.
  void count(BpfCounters layout);
  BpfCounters counters() const;

  // Drains the samples. Call it at least ten times a second.
  void poll(uint64_t now_ns);

  // Forgets functions, sleeps, occupancy and slot kinds, e.g. at a change. The
  // history of the occupancy goes on.
  void restart(uint64_t now_ns);

  // Forgets slot kinds: those of an older technique have left the ring.
  void restart_kinds(uint64_t now_ns);

  Reading<SamplingEvent> event() const;
  // Its samples of the last `functions_window_ns`, or all since restart().
  Reading<FunctionTable> functions(Role role, observe::Span span = observe::Span::window) const;

  // Totals up to this instant: take two to know what was in between. Neither
  // restart() nor the next process of a role sets them back. Not of several processes.
  Reading<TaskTimes> times(Role role) const;
  // Where it was when it slept, since restart(); of several processes the first.
  Reading<BlockedTable> blocked(Role role) const;

  Reading<Occupancy> occupancy() const;
  std::shared_ptr<const OccupancyHistory> occupancy_history() const;  // null: none yet
  Reading<std::array<double, kSlotKinds>> kinds() const;

  // The newest look at every slot, see its at_ns, and asks for the next. Looks
  // are taken by the sampler's ticks at instants of their own: while we run, we
  // may have displaced one of the two processes, and the ring shows that.
  // Without ticks, and before the first of them, the look is taken now.
  Reading<RingFrame> ring_frame(uint64_t now_ns);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop

// What BPF sees of a pipe and its two processes: functions, context switches, slots, occupancy.
// Each part can be unavailable on its own, with a reason and a remedy; occupancy then falls back to
// FIONREAD at a low rate.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/model/counts.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
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
  // Never throws for lack of privileges: what is not available becomes a reading
  // with the reason.
  explicit Observers(const ObserverOptions& options);
  ~Observers();
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  // Sets the processes of a role.
  void watch(Role role, std::span<const pid_t> pids);
  void watch(Role role, pid_t pid) { watch(role, std::span(&pid, pid > 0 ? 1u : 0u)); }

  // Stops and starts everything; the last readings stay. Initially running.
  void run(bool on);

  // How the BPF programs count from now on; initially one record per CPU. With a
  // shared record a CPU whose clock stops when idle cannot be left out.
  void count(BpfCounters layout);
  BpfCounters counters() const;

  // Drains the samples. To be called at least ten times a second.
  void poll(uint64_t now_ns);

  // Resets functions, sleeps, occupancy and slot kinds, e.g. at a change. The
  // occupancy history continues.
  void restart(uint64_t now_ns);

  // Resets slot kinds: those of the old technique have left the ring.
  void restart_kinds(uint64_t now_ns);

  Reading<SamplingEvent> event() const;
  // Its samples of the last `functions_window_ns`, or all since restart().
  Reading<FunctionTable> functions(Role role, observe::Span span = observe::Span::window) const;

  // Totals up to now; use the difference of two. Not reset by restart() or by a new process. Not
  // available for several processes.
  Reading<TaskTimes> times(Role role) const;
  // Where it slept, since restart(); with several processes only the first.
  Reading<BlockedTable> blocked(Role role) const;

  Reading<Occupancy> occupancy() const;
  std::shared_ptr<const OccupancyHistory> occupancy_history() const;  // null: none yet
  Reading<std::array<double, kSlotKinds>> kinds() const;

  // The newest snapshot of the slots (see its at_ns); also requests the next.
  // Snapshots are taken by the sampler's ticks at independent times: while we run,
  // we may have displaced one of the two processes, which the ring would show.
  // Without ticks, and before the first one, the snapshot is taken now.
  Reading<RingFrame> ring_frame(uint64_t now_ns);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop

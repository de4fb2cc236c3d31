// What BPF sees of a pipe and its two processes: functions, context switches, slots, occupancy.
// Each part can be unavailable on its own, with a reason and a remedy; occupancy then falls back to
// FIONREAD at a low rate.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "engine/model/counts.h"
#include "engine/model/snapshot.h"
#include "engine/observe/call_trees.h"
#include "engine/observe/occupancy.h"
#include "engine/observe/perf_events.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/sampler.h"
#include "engine/observe/sched_reader.h"
#include "engine/observe/symbols.h"
#include "engine/observe/ticks.h"

namespace pipetop {

struct ObserverOptions {
  BpfUse bpf = BpfUse::automatic;
  uint32_t frequency_hz = 0;  // of the sampler on each CPU; 0: as often as its price allows
  uint64_t functions_window_ns = 5'000'000'000;  // 0: all since restart()
  // An end of the observed pipe, open in this process; borrowed. -1: there is none.
  int pipe_fd = -1;
  observe::Whose whose = observe::Whose::ours;  // the processes that are watched
};

class Observers {
 public:
  // Never throws for lack of privileges: what is not available becomes a reading
  // with the reason.
  explicit Observers(const ObserverOptions& options);

  // Sets the processes of a role.
  void watch(Role role, std::span<const pid_t> pids);
  void watch(Role role, pid_t pid) { watch(role, std::span(&pid, pid > 0 ? 1u : 0u)); }

  // Stops and starts everything; the last readings stay. Initially running.
  void run(bool on);

  // As the user wants them: while they are off they do nothing, and all readings say so. On again,
  // they know nothing of the time before; to be followed by restart().
  void set(Observing wanted);

  // How the BPF programs count from now on; initially one record per CPU.
  void count(BpfCounters layout);
  BpfCounters counters() const { return counters_; }

  // Drains the samples. To be called at least ten times a second.
  void poll(uint64_t now_ns);

  // Resets functions, sleeps, occupancy and slot kinds, e.g. at a change. The
  // occupancy history continues.
  void restart(uint64_t now_ns);

  // Resets functions and sleeps of one role, e.g. because another process has it.
  void restart(Role role, uint64_t now_ns);

  // Resets slot kinds: those of the old technique have left the ring.
  void restart_kinds(uint64_t now_ns);

  // What the ticks cost is in the event, what the programs at context switches cost is not.
  Reading<SamplingEvent> event() const;
  Reading<Price> price_of_programs() const;
  // How the sampler ticks now; nothing if it doesn't.
  std::optional<observe::Ticks> ticks() const;
  // A warning that the sampler misses CPUs, once each time that some come or go; else "".
  std::string changed_cpus(uint64_t now_ns) {
    return sampler_ && active() ? online_cpus_.change(now_ns) : std::string();
  }
  // Its samples of the last `functions_window_ns`, longer if they are few; or all since restart().
  Reading<FunctionTable> functions(Role role, observe::Span span = observe::Span::window) const;

  // Totals up to now; use the difference of two. Not reset by restart() or by a new process. Not
  // available for several processes.
  Reading<TaskTimes> times(Role role) const;
  // Where it slept, since restart(); with several processes only the first.
  Reading<BlockedTable> blocked(Role role) const;

  // Of the last `functions_window_ns`, as far as these are since restart(); or all since restart().
  Reading<Occupancy> occupancy(uint64_t now_ns, observe::Span span = observe::Span::window) const;
  std::shared_ptr<const OccupancyHistory> occupancy_history() const {  // null: none yet
    return history_.history();
  }
  Reading<std::array<double, kSlotKinds>> kinds() const;

  // The newest snapshot of the slots (see its at_ns); also requests the next.
  // Snapshots are taken by the sampler's ticks at independent times: while we run,
  // we may have displaced one of the two processes, which the ring would show.
  // Without ticks, and before the first one, the snapshot is taken now.
  Reading<RingFrame> ring_frame(uint64_t now_ns);

 private:
  struct WatchedRole {
    // A share of a thousand samples is right to within 3 points.
    explicit WatchedRole(uint64_t window_ns) : counter(window_ns, 1000) {}

    size_t processes = 0;
    std::optional<pid_t> first = {};  // nothing before the first watch(); 0: there is none
    observe::CallCounter counter;
    uint64_t lost_seen = 0;     // by the sampler, already counted
    uint64_t sleeps_seen = 0;   // when its times were last known
    uint64_t restarted_ns = 0;  // samples in flight are dropped by their age
    // At restart(); nothing while they cannot be distinguished from earlier ones.
    std::optional<observe::Sleeps> sleeps_before = observe::Sleeps{};
  };

  WatchedRole& role_of(Role role) { return roles_[static_cast<size_t>(role)]; }
  const WatchedRole& role_of(Role role) const { return roles_[static_cast<size_t>(role)]; }

  bool off() const { return wanted_ == Observing::off; }
  bool active() const { return running_ && !off(); }
  void start_or_stop();
  void need_symbols();
  void poll_sched(uint64_t now_ns);
  void set_rate(uint64_t now_ns);
  std::optional<uint64_t> sleeps();
  // The sampler gets the pipe's address from the ring reader.
  bool samples_ring() const { return sampler_ && ring_; }
  observe::OccupancyCounts occupancy_counts(uint64_t now_ns) const;
  void poll_occupancy(uint64_t now_ns);
  const observe::OccupancyCounts& occupancy_begin(uint64_t now_ns, observe::Span span) const;
  const ring_snapshot* newest_snapshot(uint64_t now_ns);
  void request_snapshot(uint64_t from_ns);
  void take_samples(uint64_t now_ns);
  void take(const observe::StackSample& sample);

  const bool has_pipe_;
  const uint64_t window_ns_;
  bool running_ = true;
  Observing wanted_ = Observing::on;
  BpfCounters counters_ = BpfCounters::percpu;
  std::string no_sampler_, no_sched_, no_ring_, no_symbols_;  // why; remedy
  std::future<observe::Symbols> reading_symbols_;
  observe::Symbols symbols_;
  std::optional<observe::TickControl> control_;  // of the sampler
  observe::OnlineCpus online_cpus_;
  std::unique_ptr<observe::Sampler> sampler_;
  std::unique_ptr<observe::SchedReader> sched_;
  std::unique_ptr<observe::RingReader> ring_;
  observe::FionreadOccupancy fallback_;
  observe::OccupancyRecorder history_;
  std::array<WatchedRole, kRoles> roles_;
  uint64_t restarted_ns_ = 0;
  observe::OccupancyCounts occupancy_before_;  // at restart()
  observe::KindCounts kinds_;
  uint64_t kinds_since_ns_ = 0;
  Reading<RingFrame> frame_;
  uint64_t tick_due_ns_ = 0;
  std::minstd_rand random_;
  uint64_t sampled_at_ns_ = 0;
};

}  // namespace pipetop

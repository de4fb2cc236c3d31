// The public interface of the engine: start, apply(change), tick() -> Snapshot.
//
// Single-threaded. The owner adds event_fd() to its event loop and calls
// handle_events() when it is readable; tick() may be called at any rate.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/event_loop.h"
#include "engine/host/host.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/observe/observers.h"
#include "engine/process/worker_pool.h"
#include "engine/segments.h"
#include "engine/tick_meters.h"
#include "engine/workload/workload.h"

namespace pipetop {

struct EngineOptions {
  Settings settings;
  BpfUse bpf = BpfUse::automatic;
  BpfCounters bpf_counters = BpfCounters::percpu;
  uint32_t frequency_hz = 0;                        // per CPU; 0: as often as its price allows
  uint64_t functions_window_ns = 5'000'000'000;     // rolling; 0: all since the last change
  std::string worker_program = "/proc/self/exe";    // run as `PROGRAM worker-process`
  std::function<void(const Notice&)> noticed = {};  // each notice, when it comes; may be empty
  std::string label = "start", key = {};            // of the first segment, as in apply()
};

class Engine {
 public:
  // Prepares the workload, e.g. its pipe, and starts its workers and the observers. Throws Error if
  // a pipe or a process cannot be created; any other failure is a state in the Snapshot.
  explicit Engine(const EngineOptions& options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Readable when handle_events() has work: a worker died, or a change waits for
  // its acknowledgement.
  int event_fd() const { return loop_.fd(); }
  void handle_events();

  // Applies `requested` live and begins a new segment. Returns at once;
  // Snapshot::effective.settled says when all of it is in effect. `label` and `key`
  // name the segment and its mark. Throws Error if validate() does.
  void apply(const Settings& requested, const std::string& label, const std::string& key = {});

  // In single steps: allows that role one operation. False if it has not made the last one yet, or
  // if there are no steps.
  bool step(Role role) { return requested_.pipe.single_step && workload_->step(role); }

  // Why this machine does not have the value that `requested` gives a knob, and what to do; "" if
  // it does, or if only a try tells.
  std::string obstacle(const Settings& requested, std::string_view knob) const {
    return workload_->obstacle(requested, knob);
  }

  // Begins a new segment without a change, e.g. after a warm-up.
  void begin_segment(const std::string& label);

  // The totals of processes are up to 250 ms old, unless they are to be of now.
  Snapshot tick(Totals totals = Totals::when_due);

  // The current segment as if it ended now, with everything that was observed. Not
  // after stop(): the workers are gone.
  Segment segment() {
    const uint64_t now_ns = monotonic_ns();
    return segments_.present(now_ns, workload_->progress(now_ns), effective());
  }

  void count(BpfCounters layout) { observers_.count(layout); }

  // Stops and starts the observers, to measure their cost.
  void observe(bool on) { observers_.run(on); }

  // Stops and continues both workers, for a suspended terminal.
  void suspend();
  void resume();

  // Asks the workers to finish and waits: a fraction of a second for those that are stopped or
  // frozen, at most ten for one that gets no CPU; then it kills them. After that the counters of
  // the next tick() are final.
  void stop();

 private:
  void on_worker(const WorkerEvent& event);
  void await_ends();
  void notify_of_living(std::string_view what);
  void serve_workers();
  void advance();
  void arm_timer(uint64_t interval_ns);
  void notify(Severity severity, std::string text);
  void watch_workload(uint64_t now_ns);
  Effective effective() const;

  uint64_t started_at_ns_ = monotonic_ns();
  std::shared_ptr<const HostInfo> host_ = std::make_shared<HostInfo>(read_host());
  Capabilities machine_ = read_capabilities();

  EventLoop loop_;
  uint64_t timer_interval_ns_ = 0;
  WorkerPool pool_;
  std::unique_ptr<Workload> workload_;
  const WorkloadTerms& terms_;

  Settings requested_;
  bool settled_ = false;
  EngineLife life_;
  uint64_t change_began_ns_ = 0;
  uint64_t renewed_at_ = 0;  // the progress at which nothing older is left in a ring
  bool ring_renewed_ = false;

  Observers observers_;
  Segments segments_;
  TickMeters meters_;
  std::deque<Notice> notices_;
  std::function<void(const Notice&)> noticed_;
};

}  // namespace pipetop

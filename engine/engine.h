// The public interface of the engine: start, apply(change), tick() -> Snapshot.
//
// Single-threaded. The owner adds event_fd() to its event loop and calls
// handle_events() when it is readable; tick() may be called at any rate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/model/settings.h"
#include "engine/model/snapshot.h"

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
  // Creates the pipe, starts both workers and the observers. Throws Error if the
  // pipe or a process cannot be created; any other failure is a state in the
  // Snapshot.
  explicit Engine(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Readable when handle_events() has work: a worker died, or a change waits for
  // its acknowledgement.
  int event_fd() const;
  void handle_events();

  // Applies `requested` live and begins a new segment. Returns at once;
  // Snapshot::effective.settled says when all of it is in effect. `label` and `key`
  // name the segment and its mark. Throws Error if validate() does.
  void apply(const Settings& requested, const std::string& label, const std::string& key = {});

  // In single steps: allows that role one operation. False if it has not made the last one yet, or
  // if there are no steps.
  bool step(Role role);

  // Why this machine does not have the value that `requested` gives a knob, and what to do; "" if
  // it does, or if only a try tells.
  std::string obstacle(const Settings& requested, std::string_view knob) const;

  // Begins a new segment without a change, e.g. after a warm-up.
  void begin_segment(const std::string& label);

  // The totals of processes are up to 250 ms old, unless they are to be of now.
  Snapshot tick(Totals totals = Totals::when_due);

  // The current segment as if it ended now, with everything that was observed. Not
  // after stop(): the workers are gone.
  Segment segment();

  void count(BpfCounters layout);

  // Stops and starts the observers, to measure their cost.
  void observe(bool on);

  // Stops and continues both workers, for a suspended terminal.
  void suspend();
  void resume();

  // Asks the workers to finish and waits: at most one second for a stopped worker, ten for one that
  // gets no CPU; then it kills them. After that the counters of the next tick() are final.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipetop

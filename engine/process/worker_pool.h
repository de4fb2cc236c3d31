// The worker processes of a workload: starts and pins them, replaces those that die, and
// describes their state.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/event_loop.h"
#include "engine/model/counts.h"
#include "engine/model/snapshot.h"
#include "engine/process/placement.h"
#include "engine/process/worker_process.h"

namespace pipetop {

// An event of a worker.
struct WorkerEvent {
  enum class Kind { added, removed, died, replaced, cannot_start, cannot_pin } kind;
  Worker& worker;
  std::string words;  // "signal 15 (Terminated)", "fork: ..."; "" when added, removed or replaced
};

class WorkerPool {
 public:
  // `loop` watches the pidfds of its processes.
  WorkerPool(WorkloadKind workload, std::string program, std::vector<Cpu> allowed, EventLoop& loop,
             std::function<void(const WorkerEvent&)> sink);
  ~WorkerPool() { send(SIGKILL); }  // all at once, before each is waited for

  // Starts a process, which holds until it is told to flow. It gets `fds`, which
  // the caller owns and must keep open as long as the worker exists. Throws
  // SystemError.
  Worker& add(Role role, std::vector<int> fds);

  // Kills its process. Its counters still count.
  void remove(Worker& worker);

  // Pins it to a CPU, also after a restart; kNoCpu: any CPU.
  void place(Worker& worker, int cpu);

  // Reaps dead processes and starts their replacements when they are due.
  void replace_dead();
  // Only reaps them.
  void reap();

  bool all_alive() const { return std::ranges::all_of(workers_, &Worker::alive); }
  bool any_alive() const { return std::ranges::any_of(workers_, &Worker::alive); }
  bool any_running() const;  // see WorkerProcess::runs()
  void send(int signal) const;

  // In the order in which they were added; none for a role that does not exist.
  std::vector<const Worker*> of(Role role) const;
  std::vector<pid_t> pids(Role role) const;  // of those alive
  // Over all its workers so far, including removed ones.
  WorkerCounts counts(Role role) const;

  const std::vector<Cpu>& allowed() const { return allowed_; }

 private:
  void start(Worker& worker);
  void pin(Worker& worker);

  WorkloadKind workload_;
  std::string program_;
  std::vector<Cpu> allowed_;
  EventLoop& loop_;
  std::function<void(const WorkerEvent&)> sink_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Worker>> leaving_;  // removed, but not yet reaped
  std::array<WorkerCounts, kRoles> removed_;      // by Role
};

// Facts that its process cannot report.
struct WorkerContext {
  bool suspended = false;                            // stopped by us
  ProcessState unanswered = ProcessState::starting;  // until there is a report
  std::string_view prepares, does;                   // see WorkloadTerms
};

// Fills in pid, restarts, state and its reason; of several workers, the worst state.
void describe_state(std::span<const Worker* const> workers, const WorkerContext& now,
                    WorkerReadings& view);

}  // namespace pipetop

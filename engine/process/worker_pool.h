// The worker processes of a workload: started, pinned, and replaced when one of
// them dies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/counts.h"
#include "engine/process/placement.h"
#include "engine/process/worker.h"

namespace pipetop {

// What happened to a worker, for whoever has to know.
struct WorkerEvent {
  enum class Kind { added, removed, died, replaced, cannot_start, cannot_pin } kind;
  Worker& worker;
  std::string words;  // "signal 9 (Killed)", "fork: ..."; "" when added, removed or replaced
};

class WorkerPool {
 public:
  // The pidfds of its processes are added to `epoll_fd`.
  WorkerPool(WorkloadKind workload, std::string program, std::vector<Cpu> allowed, int epoll_fd,
             std::function<void(const WorkerEvent&)> sink);

  // Starts a process, which holds until it is told to flow. It gets `fds`; they
  // stay the caller's, and open for as long as it is here. Throws SystemError.
  Worker& add(Role role, std::vector<int> fds);

  // Kills its process. What it has done still counts.
  void remove(Worker& worker);

  // Where it runs from now on, also after a restart; kNoCpu: on any.
  void place(Worker& worker, int cpu);

  // Reaps the dead and starts their replacements when they are due.
  void replace_dead();
  // Only reaps them.
  void reap();

  bool all_alive() const;
  bool any_alive() const;
  bool any_running() const;  // alive, and not stopped by a signal
  void send(int signal) const;

  // In the order in which they were added; none for a role that there is not.
  std::vector<const Worker*> of(Role role) const;
  std::vector<pid_t> pids(Role role) const;  // of those alive
  // Of all its workers so far, the removed ones too.
  WorkerCounts counts(Role role) const;

  const std::vector<Cpu>& allowed() const { return allowed_; }

 private:
  struct Member {
    std::unique_ptr<Worker> worker;
    int cpu = kNoCpu;
  };
  void start(Worker& worker);
  void pin(const Member& member);
  Member& member_of(const Worker& worker);

  WorkloadKind workload_;
  std::string program_;
  std::vector<Cpu> allowed_;
  int epoll_fd_;
  std::function<void(const WorkerEvent&)> sink_;
  std::vector<Member> members_;
  std::array<WorkerCounts, kRoles> removed_;  // by Role
};

}  // namespace pipetop

// Scans that are made up, as the iterators would list them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/watch/graph.h"

namespace pipetop {

class MadeScan {
 public:
  // A process of one thread, which waits for something else unless it is said.
  ProcessId process(pid_t pid, pid_t parent = 1, pid_t session = 100,
                    WaitsFor wait = WaitsFor::other);
  void does(pid_t pid, WaitsFor wait, uint64_t cpu_ns);

  // Its number; they are numbered in the order in which they are made.
  size_t pipe();
  void reads(size_t pipe, pid_t pid, int fd = 0) { hold(pipe, pid, fd, Access::read); }
  void writes(size_t pipe, pid_t pid, int fd = 1) { hold(pipe, pid, fd, Access::write); }
  void hold(size_t pipe, pid_t pid, int fd, Access access);
  // It is a direction of a connection.
  void socket(size_t pipe) { pipes_[pipe].socket.emplace(); }
  // It was seen moving data there, at both sides or at one.
  void saw(size_t pipe, pid_t pid);
  void saw(size_t pipe, pid_t pid, bool writing);

  // "a" writes to "b", which writes to "c": their pids, as a shell connects them.
  void chain(const std::vector<pid_t>& pids, pid_t session = 100);

  std::vector<ScannedTask>& tasks() { return tasks_; }
  PipeScan scan() const;
  const SeenMoving& seen() const { return seen_; }

  // "41 | 42 | 43: 0 1" of each part: its stages, and the numbers of its pipes.
  std::vector<std::string> parts() const;
  // "41:1 42:0": the active ends of a pipe.
  std::string active(size_t pipe) const;

 private:
  ProcessId id_of(pid_t pid) const;

  std::vector<ScannedTask> tasks_;
  std::vector<ScannedPipe> pipes_;
  SeenMoving seen_;
};

}  // namespace pipetop

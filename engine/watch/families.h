// What the processes of a scan are to each other, and what each has done: found once, and asked for
// each of their pipes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/pipe_scan.h"

namespace pipetop {

class Families {
 public:
  struct Member {
    ProcessId process;
    const Member* parent = nullptr;  // null: it holds no pipe, or isn't known
    uint64_t cpu_ns = 0;             // of all its threads
    bool waits_for_child = false;    // one of them does
  };

  // `tasks` are sorted by process.
  explicit Families(std::span<const ScannedTask> tasks);
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;

  const Member* find(ProcessId process) const;  // null: it has no threads

  // How often a process was asked for its parent, or a descriptor for its like. Tests count the
  // work with it: strangers choose how many processes hold how many descriptors.
  void count_step() const { ++steps_; }
  uint64_t steps() const { return steps_; }

 private:
  std::vector<Member> members_;  // by process
  mutable uint64_t steps_ = 0;
};

}  // namespace pipetop

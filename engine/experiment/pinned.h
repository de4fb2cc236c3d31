// The calling thread on one CPU, for as long as this lives.
#pragma once

#include <vector>

#include "engine/process/placement.h"

namespace pipetop {

class Pinned {
 public:
  // `allowed`: where the thread goes back to. Best effort: where it is refused the thread stays
  // where it was.
  Pinned(int cpu, const std::vector<Cpu>& allowed) : allowed_(allowed) { pin(0, cpu, allowed_); }
  ~Pinned() { pin(0, kNoCpu, allowed_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  const std::vector<Cpu>& allowed_;
};

}  // namespace pipetop

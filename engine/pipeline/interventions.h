// Changes in processes that are not ours, which can be put back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pipe_scan.h"

namespace pipetop {

class Interventions {
 public:
  struct Done {
    std::string text;  // "pipe 81234: 64 KiB -> 1 MiB"
    uint64_t at_ns = 0;
  };

  // By pidfd_getfd and F_SETPIPE_SZ, through the first of its ends that can be reached; the copy of
  // the end lives for microseconds, because while we hold it nobody gets end of file or SIGPIPE.
  // Returns the size that the kernel granted, in bytes. Throws Error, "why; remedy": EBUSY, EPERM
  // above the limit, the processes are gone, ...
  uint64_t resize(PipeId pipe, std::vector<PipeEnd> ends, uint64_t bytes);
  // All threads of the process, or none. Throws Error, "why; remedy".
  void renice(ProcessId process, int nice);
  void pin(ProcessId process, std::span<const int> cpus);

  // What can still be put back, oldest first.
  const std::vector<Done>& done() const { return done_; }

  // Puts back the last one, or all, the last one first; what has ended since is skipped. Returns
  // what to say. Throws Error if something could not be put back: undo() can try again later, and
  // undo_all() forgets it, because what was before it may have been put back already.
  std::string undo();
  std::string undo_all();

 private:
  // Whether there still was something to put back.
  using Restore = std::function<bool()>;

  void remember(Done done, Restore restore);
  void forget_last();
  std::string put_back_last();

  std::vector<Done> done_;
  std::vector<Restore> restore_;
};

}  // namespace pipetop

// Lists the pipes of the machine: by bpf/pipes.bpf.c, in one pass over all descriptors and one over
// all threads, or from /proc. Neither opens nor duplicates an end: that would change who gets
// SIGPIPE and end of file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "engine/model/pipe_scan.h"
#include "engine/model/settings.h"

namespace pipetop::observe {

// Whether it has taken long enough for now: asked again and again.
using IsLate = std::function<bool()>;
inline bool never_late() { return false; }

class PipeScanner {
 public:
  virtual ~PipeScanner() = default;

  // Everything. Throws Error if it cannot go on.
  virtual PipeScan scan() = 0;

  // The same in parts, as long as they take: nothing until it is complete. A scan() begins anew.
  virtual std::optional<PipeScan> scan_on(const IsLate&) { return scan(); }

  // Only these processes: takes microseconds each. Pipes have the ends that these processes hold.
  virtual PipeScan scan(std::span<const ProcessId> processes) = 0;

  // From now on scans of everything list who exited. False: that can't be known here.
  virtual bool list_exits() { return false; }

  // The pipes of the pipeline that a person has opened, until the next call.
  virtual void set_open(const std::set<PipeId>&) {}
};

// Throws Error, "why; remedy".
std::unique_ptr<PipeScanner> make_bpf_pipe_scanner();

// Processes of the same user, from /proc/PID/{fd,fdinfo,task,stat,syscall}. Capacity and queued
// bytes are asked for through copies of their ends, at most ten times a second for each pipe. Who
// can reach other users' processes asks the open pipes only: nobody has agreed for the others.
std::unique_ptr<PipeScanner> make_proc_pipe_scanner(std::string reason);

// By BPF if it is possible and wanted, else from /proc.
std::unique_ptr<PipeScanner> make_pipe_scanner(BpfUse use);

}  // namespace pipetop::observe

// Exact bytes, by pipe: the return values of system calls tell them for each end.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/observe/stage_observer.h"
#include "engine/watch/graph.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

class ByteCounts {
 public:
  // What moved since the last time.
  void add(const std::vector<observe::EndBytes>& moved);

  // After a pass over the machine: pipes that are gone are forgotten, and the ends of processes
  // that are; what these moved still counts for the pipe. One that it didn't see may be newer than
  // it.
  void forget(const std::function<bool(PipeId)>& is_gone,
              const std::function<bool(ProcessId)>& is_other);

  // Put into a pipe, or taken out of it: what is more, because somebody may not be seen.
  uint64_t of(PipeId pipe) const;
  // Through this end, since counting began.
  uint64_t of(PipeId pipe, ProcessId process, int fd, bool writing) const;

 private:
  struct EndId {
    ProcessId process;
    int fd;
    bool writing;

    auto operator<=>(const EndId&) const = default;
  };
  struct EndCount {
    uint64_t bytes = 0;
    bool is_new = true;  // since the last pass
  };
  struct Counts {
    uint64_t read = 0, written = 0;
    std::map<EndId, EndCount> ends;
    bool is_new = true;
  };

  std::map<PipeId, Counts> pipes_;
};

// Rates without BPF: what /proc/PID/io says of the two ends of a pipe.
//
// It counts all bytes that a process read or wrote by read(2) and write(2), whatever they went to,
// and none that were spliced. So it tells something only of a pipe with one process at an end that
// has no other pipe there; and of the two ends' counts the lower is nearer to the truth.
class IoRates {
 public:
  explicit IoRates(const WatchParts& parts) : parts_(parts) {}  // outlives it

  // A later scan, and which ends are active, by its pipes. Calls `moved(pipe, bytes)` for each of
  // them: since the last time; nothing if that can't be told.
  template <class Moved>
  void update(const PipeScan& scan, const std::vector<std::vector<bool>>& active, Moved moved) {
    begin(scan, active);
    for (size_t i = 0; i < scan.pipes.size(); ++i)
      moved(scan.pipes[i], moved_by(scan.pipes[i], active[i]));
  }

 private:
  struct Ends {
    int read = 0, written = 0;  // pipes at whose end it is active
    std::optional<ProcessIo> io = {};
  };
  struct Side {
    ProcessId process;
    uint64_t bytes = 0;
  };
  struct Sides {
    std::optional<Side> read, written;
  };

  struct Known {
    Sides first;         // when its ends were first known
    uint64_t total = 0;  // that was moved since
  };

  void begin(const PipeScan& scan, const std::vector<std::vector<bool>>& active);
  std::optional<uint64_t> moved_by(const ScannedPipe& pipe, const std::vector<bool>& active);
  Sides sides_of(const ScannedPipe& pipe, const std::vector<bool>& active) const;

  const WatchParts& parts_;
  std::map<ProcessId, Ends> processes_;
  std::map<PipeId, Known> before_;
};

}  // namespace pipetop

// What went through pipes that are gone, by what their processes had read and written when they
// exited: after the last look at the pipe, or, of one that nobody has looked at, in all.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/model/pipeline.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

// Who moves data at one side of a pipe, and what it had moved in this direction by some look.
struct PipeMover {
  ProcessId process;
  uint64_t bytes = 0;
};

// A pipe at that look.
struct PipeSides {
  std::vector<PipeMover> writers, readers;
  uint64_t queued = 0, total = 0;  // bytes
};

// The first look and the last one at which both sides were known: they tell whether what a side
// reads or writes is what goes through the pipe. With tee or splice it is more, or less.
struct PipeLooks {
  PipeSides first, last;  // first: zeros, if the pipe was seen from its beginning on

  void add(const PipeSides& look, bool from_beginning);
};

// By the pipeline's pipes. Nothing of one that isn't known at both sides: nobody lives there, or
// one moves data through another pipe, too, and through which how much isn't known.
std::vector<std::optional<PipeSides>> sides_of(const Pipeline& pipeline, const ScanIndex& index);

class ExitedBytes {
 public:
  // The next scan of everything.
  void see(const PipeScan& scan);
  // Forgets all others, but for those of the last scan.
  void keep(const std::set<ProcessId>& processes);

  // A pipe that is gone: what was put into it in all, and when the last of these exited.
  struct End {
    uint64_t bytes = 0, at_ns = 0;
  };
  // Nothing: it isn't known. Who lives on, or whose children's bytes count as its own, tells
  // nothing.
  std::optional<End> end_of(const PipeLooks& looks) const;

  // Through pipes that began and ended since the scan before, as far as programs used them.
  struct Unseen {
    uint64_t pipes = 0;
    // What was put in, between these: what splice moves counts for neither side that uses it, and a
    // side may have moved more than this, through files.
    uint64_t least = 0, most = 0;
  };
  // `was_seen`: in the scan before, or in this one.
  Unseen unseen(const std::function<bool(PipeId)>& was_seen) const;

 private:
  std::map<ProcessId, ExitedProcess> exited_;
  std::vector<ExitedProcess> newest_;
};

}  // namespace pipetop

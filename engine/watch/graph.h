// Which processes hang together by pipes.
#pragma once

#include <compare>
#include <set>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/watch/scan_index.h"

namespace pipetop {

// What is known of an end beyond the scan: who was ever seen to write there, or to read.
struct MovingEnd {
  PipeId pipe;
  ProcessId process;
  bool writing = false;

  auto operator<=>(const MovingEnd&) const = default;
};
using SeenMoving = std::set<MovingEnd>;
// At any of the two sides.
inline bool was_seen(const SeenMoving& moving, PipeId pipe, ProcessId process) {
  return moving.contains({pipe, process, false}) || moving.contains({pipe, process, true});
}

// What an end is for. A FIFO can be opened for both; standard input, output and error tell then.
bool is_for_reading(const PipeEnd& end);
bool is_for_writing(const PipeEnd& end);
bool is_on(const PipeEnd& end, bool writing);

// Finds the holders that move an end's data: they were seen in a read or write of it, or
// nobody was and it is their standard input or output, or the only holder's other descriptor, or
// standard error. A shell that forgot to close its copy is not, nor one that waits for a child
// which has the same end, nor a process that holds both ends beside others that hold one, or that
// was seen at the other end. Of
// several that hold it as another descriptor, as all do that inherited it by accident, only those
// are that opened or duplicated it. `families` are the scan's.
std::vector<bool> active_ends(const ScannedPipe& pipe, const SeenMoving& moving,
                              const Families& families);

// One process holds both ends, and nobody else any.
bool is_own(const ScannedPipe& pipe);

struct PipelineShape {
  std::vector<ProcessId> stages;  // in the order of the flow; of a circle, by pid
  std::vector<size_t> pipes;      // indices into the scan's, in the order of their writers
};

// The connected parts, by active ends; every pipe is in one of them. The same scan gives the same
// order. These don't connect, so that a process can be in several parts:
// - a supervisor: its pipes go to processes of several sessions besides its own, as those of cron
//   and of container runtimes do. It is a stage of each part.
// - a server, which moves data through more than a few sockets: by these, likewise.
// - standard error, beside a standard output that goes into another pipe; unless it was seen
// moving.
// - own pipes: parts of their own.
// - pipes of which only one side is active, because the other one is closed or cannot be seen. As
//   somebody's standard input or output, or as a socket, it belongs to the part of that stage, if
//   it has one.
std::vector<PipelineShape> pipelines(const PipeScan& scan, const SeenMoving& moving,
                                     const Families& families);

}  // namespace pipetop

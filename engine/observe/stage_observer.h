// Where the time of a pipeline's threads goes, counted by bpf/stages.bpf.c at every switch: on a
// CPU, runnable, blocked in a read or write of which pipe, or what else they wait for. And how full
// its rings are, sampled by a clock on each CPU.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/pipe_scan.h"

namespace pipetop::observe {

struct ThreadId {
  ProcessId process;
  pid_t tid = 0;

  auto operator<=>(const ThreadId&) const = default;
};

// Time blocked in the reads or in the writes of one pipe, which need not be watched.
struct PipeWait {
  PipeId pipe;
  bool writing = false;
  uint64_t ns = 0;
};

// Cumulative since it is watched, with the current interval. Of a thread that has exited, the last
// ones.
struct ThreadTimes {
  ProcessId process;
  pid_t tid = 0;
  uint64_t wall_ns = 0;
  uint64_t on_cpu_ns = 0, runnable_ns = 0;
  std::vector<PipeWait> pipes;             // at most the last 64
  std::array<uint64_t, kWaits> wait_ns{};  // by WaitsFor, pipes included
  uint64_t sleeps = 0;
  WaitsFor now = WaitsFor::none;  // and whether it runs:
  bool running = false, runnable = false;
  std::optional<PipeId> now_pipe = {};  // that it waits for, if that is known
  // Of the waits for the network: at a connection whose other direction is a watched pipe, and
  // whose own carries too little to be one, as requests and acknowledgements are.
  uint64_t peer_ns = 0;
};

// Cumulative counts of samples of a ring.
struct RingTally {
  PipeId pipe;
  uint64_t samples = 0, empty = 0, full = 0;
  double used_share = 0;  // summed over the samples; of its slots
};

// Moved through an end for some time, by the return values of system calls.
struct EndBytes {
  ProcessId process;
  int fd = -1;
  bool writing = false;
  uint64_t bytes = 0, calls = 0;
  PipeId pipe = {};  // a descriptor that was given to another pipe has two of these
};

class StageObserver {
 public:
  virtual ~StageObserver() = default;

  // What is watched from now on; what goes on being watched keeps its counts. At most kMostThreads
  // and kMostPipes: more are ignored, and dropped() says how many. New threads of these processes
  // are to be given as they appear in scans. Throws Error if the kernel refuses what it granted to
  // make_stage_observer().
  virtual void watch(std::span<const ScannedTask> threads, std::span<const ScannedPipe> pipes) = 0;
  virtual uint32_t dropped() const = 0;
  static constexpr uint32_t kMostThreads = 4096, kMostPipes = 256, kMostEnds = 4096;

  // Without threads whose state is not known yet, such as a busy loop for the first 10 ms, and
  // without rings that have no sample, as sockets. `now_ns` is of CLOCK_MONOTONIC.
  virtual std::vector<ThreadTimes> times(uint64_t now_ns) = 0;
  virtual std::vector<RingTally> samples() = 0;

  // Counts bytes from now on, or no longer. While it does, every system call of the machine takes
  // 0.2 to 0.3 us longer. Throws Error, "why; remedy".
  virtual void count_bytes(bool on) = 0;
  virtual bool counts_bytes() const { return false; }
  // While bytes are counted: also of what this process starts from now on. Throws Error.
  virtual void count_children() {}
  // Counts read, write, readv, writev, pread-like calls, splice, tee, vmsplice, sendfile,
  // copy_file_range, through all pipes; by processes that are watched, and by all that they have
  // started since, from their first call on. io_uring, io_submit and 32-bit programs are not seen.
  // Since count_bytes(true), or the last call.
  virtual std::vector<EndBytes> take_bytes() { return {}; }
  // There were more than kMostEnds to count: of processes, or of ends that moved within a moment.
  virtual bool missed_bytes() const { return false; }
};

// Throws Error, "why; remedy".
std::unique_ptr<StageObserver> make_stage_observer();

}  // namespace pipetop::observe

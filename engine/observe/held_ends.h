// From the ends that processes hold, as passes over them find them, to pipes; and what a descriptor
// of a process refers to.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "bpf/pipes.h"
#include "engine/model/pipe_scan.h"
#include "engine/observe/waits.h"

namespace pipetop::observe {

struct HeldEnd {
  PipeId pipe;
  PipeEnd end;
  const pipes_ring* ring = nullptr;  // with one of a pipe's ends; borrowed
  bool is_socket = false;
};

// The device as stat(2) shows it.
uint32_t device_of(unsigned major, unsigned minor);

// Converts the start of a process, since boot, to ticks.
uint64_t ticks_of(uint64_t start_ns);

// The process and the pipe, or socket, of a record.
ProcessId process_of(const pipes_end& record);
PipeId pipe_of(const pipes_end& record);

// How many ends a scan has, whatever strangers do: the first ones of each process.
class EndLimit {
 public:
  static constexpr uint32_t kMost = 1 << 17, kMostOfProcess = 1 << 15;
  // When there are too many in all: standard input, output and error are among them.
  static constexpr uint32_t kFewest = 16;

  explicit EndLimit(uint32_t most = kMost) : most_(most) {}
  EndLimit(const EndLimit&) = delete;
  EndLimit& operator=(const EndLimit&) = delete;

  // Whether the next end is in it, which is one of this process.
  bool takes(ProcessId process);
  std::vector<LeftOut> left_out() const;  // by process

 private:
  struct Count {
    uint32_t taken = 0;
    uint64_t left_out = 0;
  };

  uint32_t most_, taken_ = 0;
  std::map<ProcessId, Count> counts_;
  std::pair<const ProcessId, Count>* last_ = nullptr;  // they come together
};

// By pid and fd, each once.
void sort_ends(std::vector<HeldEnd>& ends);

// The functions below need sorted ends.

// With `sides` of rings that moved, to be filled by fill_sides().
std::vector<ScannedPipe> pipes_of(std::span<const HeldEnd> ends);
// A socket is two pipes, one to read from and one to write to.
const HeldEnd* find_end(std::span<const HeldEnd> ends, ProcessId process, int fd, bool writing);

// Null if there is none. Pipes are by id.
const ScannedPipe* find_pipe(std::span<const ScannedPipe> pipes, PipeId id);

// The pipe whose lock a task has, by locked_by(): it is noted there. Null: none.
const ScannedPipe* find_lock(const ScannedTask& task, const SystemCall& call, Sleep sleep,
                             std::span<const HeldEnd> ends, std::span<ScannedPipe> pipes);

// Borrows everything.
class DescriptorTable {
 public:
  DescriptorTable(std::span<const HeldEnd> ends, std::span<const ScannedPipe> pipes,
                  DescriptorNames& names, uint64_t now_ns)
      : ends_(ends), pipes_(pipes), names_(names), now_ns_(now_ns) {}

  Descriptor find(ProcessId process, int fd, bool writing) const;

 private:
  std::span<const HeldEnd> ends_;
  std::span<const ScannedPipe> pipes_;
  DescriptorNames& names_;
  uint64_t now_ns_;
};

// What processes at the two sides of a pipe have written and read: the kernel counts it for each
// process, not for each pipe. Where both sides agree it went through the pipe.

// The bytes that all threads of a process have moved since it began.
struct ProcessBytes {
  ProcessId process;
  uint64_t written = 0, read = 0;
  uint64_t at_ns = 0;  // CLOCK_MONOTONIC
};

// Fills the sides of rings that have them, because they move, or takes them away: a process is not
// in `bytes`, or uses several pipes that move, so that nobody knows which. `bytes` are by process.
// `standing`: rings that stand still get theirs, too, to begin with when they move.
void fill_sides(std::vector<ScannedPipe>& pipes, const std::vector<ProcessBytes>& bytes,
                bool standing = false);

}  // namespace pipetop::observe

// The pipes of a machine, and the processes that hold them, at one instant: as the BPF iterators
// list them, or /proc does. Nothing is opened to learn it.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pipetop {

// The kernel's: what /proc/PID/fd shows as "pipe:[INODE]", and what stat shows of a FIFO.
struct PipeId {
  uint32_t device = 0;
  uint64_t inode = 0;

  auto operator<=>(const PipeId&) const = default;
};

// A number that the kernel gives again has another start time: clock ticks since boot, as in
// /proc/PID/stat.
struct ProcessId {
  pid_t pid = 0;
  uint64_t start_ticks = 0;

  auto operator<=>(const ProcessId&) const = default;
};

enum class Access : uint8_t { read, write, both };

// A descriptor that refers to a pipe. Threads share their process's descriptors, so they are listed
// once.
struct PipeEnd {
  ProcessId process;
  int fd = -1;
  Access access = Access::read;
  bool nonblocking = false;

  bool operator==(const PipeEnd&) const = default;
};

// What the processes at the two sides of a pipe have written and read in all, by write and read
// calls; each of them uses no other pipe like this that moves.
struct SideBytes {
  uint64_t written = 0, read = 0;
  uint64_t written_ns = 0, read_ns = 0;  // when they were looked at: CLOCK_MONOTONIC
  uint64_t holders = 0;                  // another number for other processes

  bool operator==(const SideBytes&) const = default;
};

// What the ring says of itself. A slot that was read still tells how much it held, until it is used
// again: its offset, or its length if it was moved as a whole.
struct RingCounts {
  uint32_t slots = 0;
  uint32_t head = 0, tail = 0;  // free-running
  uint64_t queued_bytes = 0;
  // The slots that were filled last, still full or not, and what was put into them: to estimate the
  // bytes of a slot. 0 slots: none can be told.
  uint32_t past_slots = 0;
  uint64_t past_bytes = 0;
  // If it can be told; in a scan of everything only if the head moved since the last scan or the
  // one before.
  std::optional<SideBytes> sides = {};

  uint32_t used() const { return head - tail; }
};

// One direction of a connected stream socket, which is used like a pipe: from who writes at one
// side to who reads at the other.
struct SocketLink {
  bool tcp = false;               // else AF_UNIX
  std::string name = {};          // of TCP the far side, "10.0.0.2:9000"; else the path, or ""
  uint32_t used = 0, memory = 0;  // of the buffer that is looked at, as the kernel accounts for it
  bool empty = false;             // nothing to read; or, if nobody here reads, all has arrived
  bool full = false;              // who writes waits
  bool writable = true;           // poll(2) says so
  bool peer_full = false;         // TCP: the far side has no room
  uint32_t retries = 0;           // TCP: that the far side has not answered
  std::optional<uint64_t> bytes = {};  // TCP: that arrived, since it was connected
  uint64_t read_inode = 0;             // of the socket that is read; 0: it isn't here
  bool from_outside = false;           // the side that writes isn't here
  double peer_full_share = 0;          // over the window; a scan doesn't fill it

  bool operator==(const SocketLink&) const = default;
};

// Somebody sleeps with a pipe's lock, as a splice from a socket does until data comes. Meanwhile
// nobody else writes to the pipe or reads from it, and who tries can't be killed.
struct PipeLock {
  ProcessId holder = {};  // pid 0: nobody knows
  std::string name = {};  // its first thread's, any bytes
  std::string call = {};  // that it sleeps in: "splice"

  bool operator==(const PipeLock&) const = default;
};

struct ScannedPipe {
  PipeId id;
  uint64_t at_ns = 0;                     // CLOCK_MONOTONIC
  std::optional<RingCounts> ring;         // only BPF sees it
  std::optional<uint32_t> readers = {};   // the kernel's counts of open files
  std::optional<uint32_t> writers = {};   // only BPF sees them
  std::optional<uint64_t> capacity = {};  // bytes
  std::optional<uint64_t> queued = {};    // bytes
  std::vector<PipeEnd> ends;
  std::optional<SocketLink> socket = {};  // it is none of the kernel's pipes
  std::optional<PipeLock> lock = {};
};

// What a sleeping thread waits for.
enum class WaitsFor : uint8_t {
  none,  // it doesn't sleep
  pipe_read,
  pipe_write,
  poll,  // poll, select, epoll
  disk,  // uninterruptible
  network,
  terminal,
  sleep,  // a time
  lock,   // futex
  child,  // wait4
  signal,
  stopped,  // SIGSTOP, or a debugger
  other,
};
inline constexpr int kWaits = 13;

struct ScannedTask {
  ProcessId process;
  pid_t tid = 0;
  pid_t parent = 0, group = 0, session = 0;  // 0: not known
  std::string comm;                          // at most 15 bytes, any
  bool running = false, runnable = false;    // else it sleeps
  bool zombie = false;
  WaitsFor wait = WaitsFor::none;
  int fd = -1;          // of the read or write that it is in; -1 if it is in none
  uint64_t cpu_ns = 0;  // cumulative, user and system
  // Cumulative, by read and write calls; 0 if it isn't known, as without BPF. The first thread has
  // those of threads that have ended, too.
  uint64_t read_bytes = 0, written_bytes = 0;
};

// What it read and wrote in all. `in` and `out` are the pipes that it began with as standard input
// and output, if it ran a program since we began to look, and `..._before` is of before that.
struct ExitedProcess {
  ProcessId process;
  uint64_t at_ns = 0;  // CLOCK_MONOTONIC
  uint64_t read_bytes = 0, written_bytes = 0;
  std::optional<PipeId> in = {}, out = {};
  uint64_t read_before = 0, written_before = 0;
};

// Ends that were counted only: strangers choose how many there are.
struct LeftOut {
  ProcessId process;
  uint64_t ends = 0;

  bool operator==(const LeftOut&) const = default;
};

enum class ScanSource : uint8_t {
  bpf,   // everything of all processes that we may see
  proc,  // without privileges: own processes, no ring
};

struct PipeScan {
  uint64_t at_ns = 0;  // CLOCK_MONOTONIC, at its end
  uint64_t took_ns = 0;
  ScanSource source = ScanSource::bpf;
  std::vector<ScannedPipe> pipes;  // by id; ends by pid and fd
  // All threads of processes that hold a pipe, by pid and tid.
  std::vector<ScannedTask> tasks;
  // Connections of stream sockets that nobody was seen to move data through, which are not in
  // `pipes`; nothing if they were not counted.
  std::optional<uint32_t> idle_sockets;
  std::vector<LeftOut> left_out;  // by process
  // Those that used pipes, and exited since the scan before; by process. None unless the scanner
  // was asked for them.
  std::vector<ExitedProcess> exited;
  uint64_t unlisted_exits = 0;  // there was no room for them
  // Without those of which only we hold one side: see without_self().
  uint32_t self_pipes = 0;
  // True: some processes hold too many descriptors to visit all.
  bool is_cut = false;
  uint32_t unreadable = 0;  // processes that exist, but whose descriptors we may not list
  std::string reason;       // why it is not BPF's: "why; remedy"
};

}  // namespace pipetop

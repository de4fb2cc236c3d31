// A pipeline as values: its stages, the pipes between them, and what limits it; and the table of
// all pipes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/base/shared_vector.h"
#include "engine/model/functions.h"
#include "engine/model/pipe_scan.h"
#include "engine/model/process_tree.h"
#include "engine/model/ring_view.h"
#include "engine/model/segment.h"

namespace pipetop {

// What a process does at the moment, of all its threads the one that matters: running, else
// runnable, else blocked in a pipe, else elsewhere.
struct StageState {
  enum class Kind : uint8_t { running, runnable, waiting, zombie } kind = Kind::waiting;
  WaitsFor wait = WaitsFor::other;  // when waiting
  std::optional<PipeId> pipe;       // when it waits for one
};

// Shares of the wall time of the window. CPU is of all threads together, and can exceed 1; the rest
// is of the thread that moves the data: the one that waits longest for pipes, or the busiest.
struct StageShares {
  double cpu = 0;  // CPUs in use
  double on_cpu = 0, runnable = 0;
  double reading = 0, writing = 0;         // blocked in these, over all pipes
  std::array<double, kWaits> elsewhere{};  // by WaitsFor; those of pipes are 0
  double busiest_other = 0;  // of its other threads, the one that is longest on a CPU or runnable
  // Of the waits for the network: at a connection with another stage, for its request or answer. It
  // is not told of threads in poll.
  double peer = 0;
};

// What a CPU quota did to a process.
struct Throttling {
  double share = 0;    // of its periods: it stopped the process before their end
  double cpus = 0;     // that it allows
  std::string cgroup;  // its folder
};

// All calls of a process of one kind, whatever they went to.
struct CallRate {
  double per_s = 0, bytes = 0;  // of each
};

struct DiskUse {
  std::string name;            // "vda"
  std::string flags;           // with which a process has a file there open: "O_DSYNC", or ""
  std::optional<double> busy;  // share of the time
  bool read_only = false;      // no file there is open for writing
};

struct SocketQueues {
  std::string peer;                   // "10.0.0.1:22"
  uint64_t to_send = 0, to_read = 0;  // bytes
};

struct NamedProcess {
  std::string name;
  int pid = 0;
  // Since the look before, without a CPU: pipe_read or pipe_write, of whatever it reads or writes;
  // else none.
  WaitsFor blocked = WaitsFor::none;
};

// What limits the stage to blame, beyond its clocks, over about a second: nobody else is asked for
// it, but for the quota. What isn't known is absent.
struct StageLimits {
  std::optional<CallRate> reads, writes;
  std::optional<Throttling> quota;     // of its cgroup; of all stages, if they used a CPU
  std::optional<double> idle_cpus;     // of the machine
  std::optional<DiskUse> disk;         // if it waits for one
  std::optional<SocketQueues> socket;  // if it waits for the network
  std::optional<NamedProcess> child;   // the busiest, if it waits for one
};

// Of the time of a thread, blocked in the reads or in the writes of one pipe.
struct ThreadPipe {
  PipeId pipe;
  bool writing = false;
  double share = 0;
};

// A thread of a stage, over the window.
struct StageThread {
  int tid = 0;
  std::string name;  // printable
  StageState state;
  Reading<StageShares> shares;    // its own
  std::vector<ThreadPipe> pipes;  // longest first
  // It waited to, or a good part of what the stage reads or writes went through its calls.
  bool reads = false, writes = false;

  // "reads", "writes", "reads, writes", "computes", "waits"; "" if nothing is known.
  std::string_view role() const;
};

struct Stage {
  ProcessId id;
  std::string name;     // comm, printable
  std::string command;  // the whole command line, printable; the name if there is none
  uint64_t age_ns = 0;
  uint32_t threads = 1;
  StageState state;
  Reading<double> cpu;             // CPUs in use, over the window
  std::optional<uint64_t> cpu_ns;  // used in its whole life; the last that was seen if it is gone
  Reading<StageShares> shares;     // over the window
  int nice = 0;
  std::vector<int> cpus;                  // that it may use
  Reading<FunctionTable> functions = {};  // of the stage that was asked for, and the one to blame
  // It has exited. For the verdict on all of the time nobody has: it is on what ran.
  bool gone = false;
  // Whether it polls what others feed or empty, a socket or a terminal; or holds it, where that
  // can't be told. Of who polls.
  std::optional<bool> outside = {};
  // It polls for what another stage sends in reply to what it writes there.
  bool polls_peer = false;
  double polls_nothing = 0;  // share of its looks in poll in which it waited for a time only
  // Of the thread that moves the data: blocked in these, longest first, as far as it is clocked.
  std::vector<ThreadPipe> blocked_in = {};
  StageLimits limits = {};
  std::string cgroup = {};  // as people call it: "backup.service", "docker 0123456789ab"
  int pid_inside = 0;       // in its own pid namespace, as a container has one; 0: the same
  std::optional<double> quota_cpus = {};  // that the tightest quota on its cgroup allows
  // The busiest ones, if it has several: a stage of the open pipeline has at most kMostThreads.
  std::vector<StageThread> thread_list = {};
  static constexpr size_t kMostThreads = 64;
};

// A larger ring, and how much faster the pipe would be with it.
struct LargerRing {
  uint64_t bytes = 0;
  double gain = 0;  // 0.5: half as fast again
};

// How far off an estimate may be: between these times what it says.
struct EstimateRange {
  double low = 1, high = 1;
};

// One end that a stage holds.
struct StageEnd {
  PipeEnd end;
  size_t stage = 0;    // in the pipeline
  bool active = true;  // false: it never moved a byte, such as a shell that forgot to close it
  std::optional<uint64_t> bytes;  // exact, since counting began
};

// The first of those that move data, else of all; null if there is none.
const StageEnd* main_end(const std::vector<StageEnd>& ends);
// The stages that move data there, each once.
std::vector<size_t> active_stages(const std::vector<StageEnd>& ends);

// "locked: a splice of 4711 (view) holds it", or "locked". With a printable name.
std::string lock_text(const PipeLock& lock);

struct Pipe {
  PipeId id;
  std::string path;  // of a FIFO, else ""
  std::vector<StageEnd> writers, readers;
  std::optional<uint32_t> kernel_writers, kernel_readers;  // open files
  bool own = false;     // one process holds both ends, and nobody else does
  bool closed = false;  // no stage holds it any more; its ends and shares are the last known ones
  uint64_t first_seen_ns = 0;
  bool older = false;  // it was there when we began to look: how long before, nobody knows
  std::optional<uint64_t> capacity, queued;  // bytes
  std::optional<RingCounts> ring;
  Reading<RingFrame> frame;
  Reading<RingLevel> level;  // over the window
  // Estimated from the head's movement and the bytes of a slot, or exact.
  Reading<double> bytes_per_s;
  bool exact = false;
  std::optional<uint64_t> total_bytes;    // since it was first seen
  Series<RatePoint> rates;                // in bytes per second; oldest first, a minute or more
  Series<RatePoint> fill;                 // the same, in shares of the ring
  std::optional<LargerRing> larger = {};  // if its bursts, as they were measured, would gain by one
  std::optional<EstimateRange> range = {};  // of the bytes, if they are estimated from the ring
  std::optional<SocketLink> socket = {};    // it is one direction of a connection
  std::optional<PipeLock> lock = {};        // with a printable name
};

// What limits a pipe or a pipeline, and what shows it.
struct Verdict {
  enum class Kind : uint8_t {
    // These are verdicts on our own pipe.
    writer,  // the reader waits for data
    reader,  // the writer waits for room
    lock,    // both contend for the pipe's mutex
    wakeup,  // both sleep and wake each other for little data
    cpu,     // both wait for a CPU: they share one, or others use them
    // These are verdicts on a pipeline.
    unknown,   // too little is known yet; `because` says what
    idle,      // nothing moves, and nobody could move anything
    stage,     // one stage holds up the others
    outside,   // the data comes too late, or leaves too slowly: what is beyond a stage
    balanced,  // several stages are busy all the time
    bursty,    // the same ring is often full and often empty
    deadlock,  // stages wait for each other
    stopped,   // SIGSTOP
  };
  Kind kind = Kind::unknown;
  // The numbers that show it; of a pipeline a whole sentence: "bottleneck: gzip; its input is ..."
  std::string because = {};
  // Only a pipeline has these three.
  std::optional<ProcessId> stage = {};     // that is to blame
  WaitsFor wait = WaitsFor::none;          // what that stage waits for; none: a CPU's work
  std::vector<std::string> evidence = {};  // a clause each
  // What to do about it, with the number that speaks for it; or that nothing can be done here.
  std::string advice = {};

  std::string advice_line() const { return advice.empty() ? "" : "advice: " + advice; }
};

inline constexpr size_t kVerdictKinds = 13;
std::string_view name_of(Verdict::Kind kind);  // "lock-bound", "balanced"
std::string_view name_of(WaitsFor wait);       // "disk"
std::string_view does_of(WaitsFor wait);       // "waits for the disk"

// A connected part of the graph. Stages are in the order of the flow: sources first.
struct Pipeline {
  std::vector<Stage> stages;
  std::vector<Pipe> pipes;  // in the order of their writers
  Verdict verdict;
  uint64_t window_ns = 0;  // that shares are of
  bool sees_all = true;    // false: there are processes whose pipes we may not list
  // The one whose rate is the Throughput of the snapshot: it tells what the last change did.
  std::optional<PipeId> measured = {};

  std::string title() const;  // "tar | zstd | ssh"
  // Of the main end's stage; "" if there is none.
  std::string name_at(const std::vector<StageEnd>& ends) const;
};

// How the totals of pipelines are named, and which have none: the first rule that fits a pipeline.
struct PipelineRule {
  std::string tools;  // a pattern of fnmatch(3) for its stages: "tar|*|ssh"
  std::string name;   // in place of theirs; "": as they are
  bool keep = true;   // false: it is left out; true: it has a series before all others
};

// Of each kind of series.
inline constexpr uint32_t kUsualSeries = 200, kMostSeries = 10'000;

// A row of the table.
struct PipeRow {
  Pipe pipe;  // indices of stages are into `stages` below; no frame, no history
  std::vector<Stage> stages;
  size_t pipeline = 0;  // rows with the same number are connected
};

// A pipe of other programs that was resized, and can be put back.
struct Intervention {
  std::string text;  // "pipe 81234: 64 KiB -> 1 MiB"
  uint64_t at_ns = 0;
  // Why it is in place though it was to be put back, and what becomes of it; else "".
  std::string waits = {};
  // The rate before, and in the segment that it began; once they are known.
  std::optional<double> before_bytes_per_s, after_bytes_per_s;
  std::optional<PipeId> pipe = {};  // that was resized; the rates are its
  // Of older recordings only: what was reniced or pinned, and the pipe that has the rates.
  std::optional<ProcessId> stage = {};
  std::optional<PipeId> measured = {};
  uint32_t step = 0;  // of the ledger of changes
  int error = 0;      // for which it waits
};

// "1234 ends of pipes are left out: process 4711 ..."; of one process at least.
std::string left_out_text(const std::vector<LeftOut>& left_out);

// All pipes of the machine, as of the last pass over them.
struct PipeTable {
  SharedVector<PipeRow> rows;  // an own() copy can be changed
  ScanSource source = ScanSource::bpf;
  double scan_ms = 0;                    // that the pass took
  std::optional<uint32_t> idle_sockets;  // connections without data, which have no row
  uint32_t unreadable = 0;               // processes
  std::vector<LeftOut> left_out;         // ends of pipes
  bool has_passed = true;                // false: the first pass isn't complete yet
  // Of `watch --tree` and `watch -- COMMAND`, else null.
  std::shared_ptr<const ProcessTreeView> tree = {};
  uint32_t self_pipes = 0;  // without those of which only we hold one side
};

}  // namespace pipetop

// Immutable values that front ends draw or print: one Snapshot is everything
// known at one moment. No handles, no references into the engine.
//
// Shares are fractions of 1. Times are CLOCK_MONOTONIC nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/reading.h"
#include "engine/settings.h"

namespace pipetop {

inline constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

// ---- throughput -----------------------------------------------------------

// Over the 100 ms rates of some interval, in GiB/s; mean is bytes over time.
struct RateStats {
  double mean = 0, median = 0, stddev = 0, min = 0, max = 0;
  uint32_t samples = 0;
};

struct RatePoint {
  uint64_t at_ns = 0;    // the end of its interval
  double gib_per_s = 0;  // over about 100 ms
};

// One stretch between two changes.
struct Segment {
  std::string label;  // "start", or what changed: "write_with vmsplice"
  std::string key;    // the hot key that began it, "" if none
  Settings requested;
  uint64_t begin_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t bytes = 0;
  Reading<RateStats> rate;  // after the settle time
};

struct ChangeMark {
  uint64_t at_ns = 0;
  std::string key;
};

struct Throughput {
  Reading<double> over_100ms, over_1s;  // GiB/s
  Reading<RateStats> over_10s;
  std::vector<RatePoint> history;  // oldest first, at least 5 minutes
  std::vector<ChangeMark> marks;   // changes within the history
  Segment current;
  std::optional<Segment> previous;
  uint64_t total_bytes = 0;  // by the reader, since start
};

// ---- ring -----------------------------------------------------------------

enum class SlotKind : uint8_t { empty, copy, user_page, page_cache, zero_page, other };
inline constexpr int kSlotKinds = 6;

struct Slot {
  SlotKind kind = SlotKind::empty;
  bool huge = false;         // the page lies in a huge page (or large folio)
  bool consecutive = false;  // the page follows the previous slot's page physically
  uint32_t offset = 0;       // bytes into its page
  uint32_t length = 0;       // bytes
  uint32_t flags = 0;        // PIPE_BUF_FLAG_*
};

// One look at every slot. A torn frame is one during which both ends moved on: it
// is true of no instant.
struct RingFrame {
  uint64_t at_ns = 0;
  uint32_t slots = 0;  // ring size
  uint32_t head = 0;   // running indices, as in the kernel; slot = index mod slots
  uint32_t tail = 0;
  uint32_t used = 0;  // head - tail
  uint32_t readers = 0, writers = 0;
  bool torn = false;
  std::vector<Slot> slot;  // `slots` of them, by index in the ring
};

inline constexpr int kOccupancyBins = 34;  // empty, 32 even parts, full

struct Occupancy {
  std::string source;  // "sampler 999 Hz" or "FIONREAD 10 Hz"
  uint64_t samples = 0;
  double mean_share = 0;   // of the ring's slots
  double empty_share = 0;  // of the time
  double full_share = 0;
  std::array<double, kOccupancyBins> histogram{};  // shares of the time; sum 1
};

struct RingView {
  uint32_t slots = 0;  // from F_GETPIPE_SZ
  uint64_t bytes = 0;
  Reading<RingFrame> frame;
  Reading<Occupancy> occupancy;
  // Shares of the occupied slots seen, by SlotKind, since the last change.
  Reading<std::array<double, kSlotKinds>> kinds;
};

// ---- functions ------------------------------------------------------------

struct FunctionRow {
  std::string name;  // kernel function, or "[user]"
  uint64_t self_samples = 0;
  uint64_t children_samples = 0;  // samples with it anywhere on the stack
};

struct FunctionTable {
  uint64_t samples = 0;
  uint64_t lost = 0;
  std::vector<FunctionRow> rows;  // by self_samples, most first

  double share(uint64_t n) const { return samples ? double(n) / double(samples) : 0.0; }
};

struct SamplingEvent {
  std::string name;  // "cycles" or "cpu-clock"
  uint32_t hz = 0;
};

// ---- workers --------------------------------------------------------------

enum class ProcessState {
  starting,  // it has not acknowledged any settings yet
  changing,  // nor yet the newest
  flowing,
  held,
  refused,
  failed,
  stopped,
  restarting,
};

// Rates over the last second or so, and totals since the worker's block was made.
struct WorkerView {
  Role role = Role::writer;
  int pid = 0;
  ProcessState state = ProcessState::starting;
  std::string state_reason;  // "signal 9", "mmap: Cannot allocate memory"
  uint32_t restarts = 0;

  uint64_t bytes = 0, syscalls = 0, short_calls = 0, eagain = 0, interrupted = 0, polls = 0;
  Reading<double> syscalls_per_s, bytes_per_call;
  Reading<double> eagain_share, short_share;  // of the syscalls

  Reading<double> on_cpu_share, runnable_share, blocked_share;  // of the wall time
  Reading<uint64_t> context_switches, page_faults;              // totals of the process
  Reading<double> context_switches_per_s, page_faults_per_s;
  Reading<int> last_cpu;

  Reading<FunctionTable> functions;
};

struct Integrity {
  uint64_t verified = 0, misplaced = 0, torn = 0, unstamped = 0, epochs = 0;
};

// ---- what is in force -----------------------------------------------------

enum class ZeroCopy : uint8_t { zero_copy, copied, unverifiable };

// A knob that did not take effect as asked.
struct Mismatch {
  std::string knob;
  std::string requested;
  std::string effective;
  std::string reason;  // why, and what to do
};

struct Effective {
  Settings settings;
  std::vector<Mismatch> mismatches;
  ZeroCopy zero_copy = ZeroCopy::unverifiable;
  std::string zero_copy_reason;
  Reading<bool> huge;       // the writer's buffers really lie in huge pages
  uint64_t pipe_bytes = 0;  // granted
  bool settled = false;     // every worker has acknowledged and the ring has its size
};

// ---- host -----------------------------------------------------------------

struct HostInfo {
  std::string kernel;      // "6.18.44"
  std::string cpu;         // "AMD EPYC"
  int cpus = 0;            // that we may run on
  std::string hypervisor;  // "" on bare metal
  std::map<std::string, std::string> mitigations;
  std::string thp;  // "madvise"
  std::string psi;  // /proc/pressure/cpu's first line, "" if there is none
  uint64_t pipe_max_size = 0;
};

enum class Severity { info, warning, error };

struct Notice {
  uint64_t at_ns = 0;
  Severity severity = Severity::info;
  std::string text;
};

struct Snapshot {
  uint64_t now_ns = 0;
  uint64_t uptime_ns = 0;
  Settings requested;
  Effective effective;
  Throughput throughput;
  RingView ring;
  std::array<WorkerView, kRoles> workers;  // by Role
  Reading<Integrity> integrity;
  Reading<SamplingEvent> event;
  Reading<double> steal_share;  // of all CPUs' time, over the last seconds
  std::vector<Notice> notices;  // newest last, the last few
  std::shared_ptr<const HostInfo> host;

  const WorkerView& worker(Role role) const { return workers[static_cast<size_t>(role)]; }
};

}  // namespace pipetop

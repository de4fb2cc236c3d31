// Immutable values that front ends draw or print: one Snapshot is everything
// known at one moment. No handles, no references into the engine.
//
// Shares are fractions of 1. Times are CLOCK_MONOTONIC nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/counts.h"
#include "engine/model/functions.h"
#include "engine/model/pipeline.h"
#include "engine/model/ring_view.h"
#include "engine/model/segment.h"
#include "engine/model/settings.h"

namespace pipetop {

// ---- workers --------------------------------------------------------------

// In order of importance to the user: of several processes the highest is shown.
enum class ProcessState {
  flowing,
  held,
  changing,  // has not yet acknowledged the newest settings
  starting,  // has not acknowledged any settings yet
  stopped,
  restarting,
  refused,
  failed,
};

// A role of the workload: one or several processes. Rates over about the last
// second, and totals since the start.
struct WorkerReadings {
  Role role = Role::writer;
  std::string name;                    // "writer"; "" if there is no such role
  std::vector<std::string> technique;  // what it does: "vmsplice", then details
  int processes = 1;
  int pid = 0;  // of the first
  ProcessState state = ProcessState::starting;
  std::string state_reason;    // "signal 9", "mmap: Cannot allocate memory"
  bool lacks_feature = false;  // refused because the kernel lacks the feature
  uint32_t restarts = 0;

  WorkerCounts counts;
  Reading<double> syscalls_per_s, bytes_per_call;
  Reading<double> eagain_share, short_share;  // of the syscalls that transfer
  Reading<double> poll_miss_share;            // of the polls: nothing could be transferred

  TimeShares shares;
  Reading<uint64_t> context_switches, page_faults;             // totals of the process
  Reading<uint64_t> voluntary_switches, involuntary_switches;  // the parts of context_switches
  Reading<uint64_t> wakeups;                                   // by the role, since the start
  Reading<double> context_switches_per_s, page_faults_per_s;
  Reading<double> voluntary_switches_per_s, involuntary_switches_per_s;
  Reading<double> wakeups_per_s;  // that it was woken
  std::string times_source;       // of the three shares: "sched_switch" or "schedstat"
  // On CPU, by 7 to 13 points on a quiet machine, at the expense of runnable and blocked.
  bool overstates_cpu() const { return times_source == "schedstat"; }
  Reading<int> last_cpu;

  Reading<FunctionTable> functions;  // while it ran; rolling
  Reading<BlockedTable> blocked;     // while it slept; since the last change
};

// Stamped pages that the reader checked: totals, and damage over the last second, or
// up to 10 s where few arrive.
struct Integrity : WorkerIntegrity {
  Reading<double> torn_per_s = {}, misplaced_per_s = {};  // pages
  Reading<double> wrong_share = {};                       // of the pages: torn or misplaced
  bool damages() const { return wrong_share.has_value() && *wrong_share > 0; }
};

// ---- parts and figures of a workload ----------------------------------------

// One of several parts: a pair, a client.
struct PartReadings {
  std::string name;  // "client 2"
  int pid = 0;
  Reading<int> cpu;
  Reading<double> rate;  // over about a second, in the workload's unit
  Progress total;
};

enum class FigureKind : uint8_t { share, bytes, count, ratio };

// A workload's figure other than its rate: "memory per rule", "cached".
struct Figure {
  std::string name;
  std::string key;  // in JSON and CSV
  FigureKind kind = FigureKind::count;
  Reading<double> value;
};

// ---- what is in effect -----------------------------------------------------

enum class ZeroCopy : uint8_t {
  zero_copy,
  copied,
  unverifiable,
  no_copy
};  // no_copy: no bytes move

// A knob that did not take effect as requested.
struct Mismatch {
  std::string knob;
  std::string requested;
  std::string effective;
  std::string reason;  // why, and what to do
};

// The pipe, if there is one.
struct EffectivePipe {
  uint64_t bytes = 0;  // granted; 0: there is no pipe
  ZeroCopy zero_copy = ZeroCopy::unverifiable;
  std::string zero_copy_reason;
  Reading<bool> huge;  // the writer's buffers really lie in huge pages
};

struct Effective {
  Settings settings;
  std::vector<Mismatch> mismatches;
  EffectivePipe pipe;
  bool settled = false;  // all workers have acknowledged, and everything they need is ready
  // The progress of anything that takes long until then: "file 1 of 2: 34 % written".
  std::string preparing;
};

// ---- verdict ----------------------------------------------------------------

// There is none sooner after a change: a worker's rates cover one second, and before that they mix
// two settings.
inline constexpr uint64_t kVerdictTakes_ns = 1'000'000'000;

// ---- host -----------------------------------------------------------------

// The kernel's mitigation of a CPU vulnerability.
struct Mitigation {
  std::string flaw;   // "meltdown"
  std::string state;  // "Not affected"
};

struct HostInfo {
  std::string kernel;      // "6.18.44"
  std::string cpu;         // "AMD EPYC"
  int cpus = 0;            // that this process may run on
  std::string hypervisor;  // "" on bare metal
  std::vector<Mitigation> mitigations;
  std::string thp;             // for pages of 2 MiB: "madvise"
  std::string psi;             // /proc/pressure/cpu's first line, "" if there is none
  uint64_t pipe_max_size = 0;  // 0: unknown
  std::string governor = {};   // of the first CPU's clock: "performance"; "" if there is none
};

// Another process of the machine.
struct Neighbour {
  std::string name;
  int pid = 0;
  double cpus = 0;  // that it used, on average
};

enum class Severity { info, warning, error };

struct Notice {
  uint64_t at_ns = 0;
  Severity severity = Severity::info;
  std::string text;
};

// When to read the totals of processes, which is costly.
enum class Totals : uint8_t { when_due, now };

struct Snapshot {
  uint64_t now_ns = 0;
  uint64_t uptime_ns = 0;
  Settings requested;
  Effective effective;
  Throughput throughput;
  std::vector<PartReadings> parts;
  std::vector<Figure> figures;
  RingReadings ring;
  std::array<WorkerReadings, kRoles> workers;  // by Role
  Reading<Integrity> integrity;
  Reading<Verdict> verdict;
  Reading<Change> change;  // warming until both segments have settled
  Reading<SamplingEvent> event;
  BpfCounters bpf_counters = BpfCounters::percpu;
  Reading<double> steal_share;     // of all CPUs' time, over the last seconds
  Reading<double> cpu_pressure;    // of the time: some task of the machine waited for a CPU
  Reading<Throttling> throttling;  // by a quota, over the last seconds
  std::string noise;               // what disturbs the measurement, "" if nothing does
  std::vector<Notice> notices;     // newest last, the last few
  std::shared_ptr<const HostInfo> host;
  // Only in a recording: what the screen said at this moment, in answer to a key.
  std::optional<Notice> answer;

  // Only `watch` has these.
  std::optional<Pipeline> watched;          // the open one
  std::vector<Intervention> interventions;  // in place, oldest first
  bool counts_bytes = false;                // exact rates: every system call pays
  std::string no_bpf;                       // why there is no BPF: "why; remedy"; else ""
  int64_t unix_ns = 0;                      // now_ns as a time of day
  PipeTable table;                          // isn't recorded
  // Why what is shown is older than it should be, and since when: looking fails, and is tried
  // again.
  // "": it is not. Isn't recorded.
  std::string stale_because;
  uint64_t stale_since_ns = 0;

  const WorkerReadings& worker(Role role) const { return workers[static_cast<size_t>(role)]; }
};

// The graph that it shows: the watched pipeline; else our roles as stages, with our pipe between
// them if there is one. `unit`: of the throughput; the curve of our pipe stays in it.
Pipeline pipeline_of(const Snapshot& s, double unit);

}  // namespace pipetop

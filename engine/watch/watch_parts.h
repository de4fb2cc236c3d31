// What a Watcher looks through, the machine or a test's script, and how often.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/functions.h"
#include "engine/model/pipe_scan.h"
#include "engine/model/settings.h"
#include "engine/observe/pipe_scanner.h"
#include "engine/observe/poll_set.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/stage_observer.h"
#include "engine/process/proc_files.h"
#include "engine/watch/scan_index.h"
#include "engine/watch/stage_limits.h"

namespace pipetop {

// What /proc tells of a process beyond a scan.
struct ProcessFacts {
  std::string command;  // the command line, printable; "" if it has none
  int nice = 0;
  std::vector<int> cpus;    // that its first thread may use
  std::string cgroup = {};  // unit_of() it
};

// Nothing of what is gone. Throws SystemError if it can't be told.
ProcessFacts read_process_facts(pid_t pid);

// Makes the contents of /proc/PID/cmdline printable: words with blanks, quoted if needed.
std::string printable_command(std::string_view cmdline);

// Facts of many processes, read again now and then: a process may exec, or be reniced.
class KnownProcesses {
 public:
  using Read = std::function<ProcessFacts(pid_t pid)>;
  explicit KnownProcesses(Read read = read_process_facts) : read_(std::move(read)) {}

  // Read anew if they are older than about `most_ns`, or the process has another name since.
  const ProcessFacts& of(ProcessId process, std::string_view comm, uint64_t now_ns,
                         uint64_t most_ns);

  // What is not of a process in the scan.
  void forget(const ScanIndex& index);

 private:
  struct Known {
    ProcessFacts facts;
    std::string comm;
    uint64_t read_ns = 0;
  };

  Read read_;
  std::map<ProcessId, Known> known_;
};

struct WatchOptions {
  BpfUse bpf = BpfUse::automatic;
  uint64_t table_ns = 500'000'000;     // between two passes over the whole machine
  uint64_t pipeline_ns = 50'000'000;   // between two looks at the open pipeline
  bool in_parts = false;               // passes, so that no tick takes long
  uint64_t window_ns = 5'000'000'000;  // that shares and the bottleneck are of
  bool sees_self = false;              // this process can be a stage, as a test is
};

// The functions that two processes run: of the stage to blame, and of the one that was selected.
class StageFunctions {
 public:
  virtual ~StageFunctions() = default;

  // Who is sampled from now on. Who goes on being sampled keeps its samples.
  virtual void watch(std::optional<ProcessId> blamed, std::optional<ProcessId> selected) = 0;

  // To be called at least ten times a second.
  virtual void poll(uint64_t now_ns) = 0;

  virtual Reading<FunctionTable> functions(ProcessId process) const = 0;
};

// By BPF's sampler, of all threads of a process.
std::unique_ptr<StageFunctions> make_stage_functions();

struct WatchParts {
  std::unique_ptr<observe::PipeScanner> scanner;

  // Made when a pipeline is opened, and only where scans come from BPF; in threads of their own, or
  // with std::launch::deferred when they are first used. These throw Error.
  std::launch launch = std::launch::deferred;
  std::function<std::unique_ptr<observe::StageObserver>()> make_observer;
  std::function<std::unique_ptr<observe::ForeignRings>()> make_rings;
  std::function<std::unique_ptr<StageFunctions>()> make_functions;

  // These read one process each. Those that would tell that it is gone throw SystemError if that
  // can't be told.
  std::function<ProcessFacts(pid_t)> read_facts;
  std::function<std::string(pid_t, int)> link_of;  // /proc/PID/fd/FD; "": none
  std::function<std::optional<std::vector<observe::Polled>>(pid_t pid, pid_t tid)> poll_set_of;
  std::function<std::vector<pid_t>(pid_t)> children_of;     // of its first thread
  std::function<pid_t(pid_t)> parent_of;                    // 0: none, or gone
  std::function<bool(pid_t)> leads_session;                 // as an interactive shell does
  std::function<std::optional<ProcessId>(pid_t)> identify;  // nothing: there is none
  std::function<bool(ProcessId)> lives;                     // it is there, and no zombie
  std::function<std::optional<ProcessIo>(pid_t)> read_io;   // read_process_io()
  std::function<std::optional<ProcessIo>(pid_t pid, pid_t tid)> read_thread_io;
  std::function<LimitTotals(pid_t, WaitsFor)> read_limits;
  std::function<std::optional<TaskStat>(pid_t)> read_stat;  // of its first thread
  std::function<std::string(pid_t)> memberships_of;         // the text of /proc/PID/cgroup
  std::function<pid_t(pid_t)> pid_inside;                   // of pid_inside()

  KnownQuotas::Read read_quotas;  // read_quotas()

  // Clocks, in ns: CLOCK_MONOTONIC, since boot, and the CPU time that this thread used.
  std::function<uint64_t()> now_ns, boot_ns, cpu_ns;
  std::function<void(uint64_t ns)> let_pass;  // sleeps

  pid_t self = 0;            // adopts what a command leaves behind
  uint32_t pipe_device = 0;  // of all pipes that are no FIFOs
};

// `sees_self`: see WatchOptions.
WatchParts real_watch_parts(BpfUse use, bool sees_self = false);

}  // namespace pipetop

// Fills the values of front ends from a scan.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/model/pipeline.h"
#include "engine/watch/pipe_history.h"
#include "engine/watch/scan_index.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

// A process in a scan, of all its threads.
struct ScannedProcess {
  ProcessId id;
  const ScannedTask* leader = nullptr;
  StageState state;
  uint32_t threads = 0;
  uint64_t cpu_ns = 0;
  std::optional<double> cpu = {};  // CPUs in use since the scan before
  bool exited = false;
};

// Lists all processes in the scan, sorted; refers to it.
std::vector<ScannedProcess> process_states(const PipeScan& scan, const ScanIndex& index);

// Name, threads and what it does, from the scan; its age.
void fill(Stage& stage, const ScannedProcess& state, uint64_t boot_ns);
void set_facts(Stage& stage, const ProcessFacts& facts);

// What the scan says of the pipe itself, and what is known of it from before; not its ends.
void fill(Pipe& view, const ScannedPipe& pipe, const PipeHistory& history);

// Its ends, in the scan's order; `stage_of` gives the index of a process.
void fill_ends(Pipe& view, const ScannedPipe& pipe, const std::vector<bool>& active,
               const std::function<size_t(ProcessId)>& stage_of);

// Whether these are its ends.
bool has_ends(const Pipe& view, const ScannedPipe& pipe, const std::vector<bool>& active);

// The path of a FIFO out of a link in /proc/PID/fd, printable; "" for other pipes.
std::string fifo_path(const std::string& link);

// One stage of the open pipeline over time, also when it has exited.
class StageRecord {
 public:
  Stage view;
  uint64_t asked_ns = 0;               // when its descriptors were looked at
  uint64_t listed_ns = 0;              // when its threads were
  uint32_t poll_looks = 0;             // of look_at_poll()
  LimitTotals limits;                  // the last ones, if it was to blame
  uint64_t began_ns = 0, seen_ns = 0;  // CLOCK_MONOTONIC; 0: it was in no sample

  // Its threads in a later scan.
  void add_sample(uint64_t now_ns, std::span<const ScannedTask> threads, uint64_t window_ns);

  // It has exited.
  void end();

  // CPUs in use over the window, from the counts of its threads.
  Reading<double> cpu() const;

 private:
  struct Mark {
    uint64_t at_ns, cpu_ns;
  };

  std::map<pid_t, uint64_t> thread_cpu_ns_;
  uint64_t ended_cpu_ns_ = 0;  // of threads that have exited
  std::deque<Mark> marks_;     // oldest first; the window begins at the first
  Mark latest_ = {};
};

}  // namespace pipetop

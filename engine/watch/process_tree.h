// The processes that descend from one, as looks at /proc find them, ten times a second.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pipeline.h"
#include "engine/model/process_tree.h"
#include "engine/watch/pace.h"
#include "engine/watch/pipeline_runs.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

class ProcessTree {
 public:
  static constexpr size_t kMost = 1 << 14;  // processes that are remembered

  ProcessTree(const WatchParts& parts, ProcessId root);  // the parts outlive it

  // Looks if it is time to, and at the end in any case. What came and went between two looks is not
  // seen, and what a process used after the last one isn't either.
  void look(uint64_t now_ns, bool at_once = false);

  // Who writes to whom.
  void connect(const Pipeline& seen);

  // These have held up their pipelines since the last call.
  void blame(std::span<const ProcessId> stages, uint64_t now_ns);

  std::vector<ProcessId> living() const;  // as of the last look

  // `runs`: for the bottlenecks of pipelines that were too short to be blamed while they ran.
  ProcessTreeView view(const std::vector<PipelineRun>& runs) const;

 private:
  static constexpr size_t kRoot = SIZE_MAX;

  struct Process {
    ProcessId id;
    size_t parent = kRoot;
    std::string name, command;
    StageSpan span;
    uint64_t cpu_ns = 0;
    uint64_t blamed_ns = 0;
    double cpus = 0;
    bool lives = true;
    std::vector<size_t> writes_to = {};
  };
  // Processes that make one row.
  struct Unit {
    std::string name;
    std::vector<size_t> members;
    size_t runs = 0;
    bool is_pipeline = false;
  };

  bool add(pid_t pid, size_t parent, uint64_t now_ns);
  bool update(Process& process, uint64_t now_ns);
  std::vector<Unit> units_of(std::span<const size_t> siblings) const;
  Unit unit_of(std::vector<size_t> members) const;
  void add_rows(const std::vector<size_t>& siblings, size_t depth,
                const std::vector<PipelineRun>& runs, ProcessTreeView& view) const;
  void find_bottleneck(const Unit& unit, const std::vector<PipelineRun>& runs, TreeRow& row) const;
  TreeRow row_of(const Unit& unit, const std::vector<PipelineRun>& runs) const;

  const WatchParts& parts_;
  std::vector<Process> processes_;  // parents before their children
  std::vector<std::vector<size_t>> children_;
  std::map<pid_t, size_t> living_;
  Pace pace_{50};  // 2 % of a CPU
  uint64_t looked_ns_ = 0, blamed_ns_ = 0;
  size_t left_out_ = 0;
};

}  // namespace pipetop

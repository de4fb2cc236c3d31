// What a process has started, directly or not: for `watch --tree` and `watch -- COMMAND`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/pipe_scan.h"

namespace pipetop {

// Processes with the same parents and the same name, or the same pipeline of theirs: those that
// run, and those that did.
struct TreeRow {
  size_t depth = 0;
  std::string name;  // "cc1", "tar | xz"; a command line if it is of one process
  std::optional<ProcessId> process = {};  // if it is of one
  bool is_pipeline = false;
  size_t runs = 1;         // processes or pipelines
  size_t live = 0;         // of them
  uint64_t ran_ns = 0;     // while at least one was there
  uint64_t cpu_ns = 0;     // of all, as it was last seen
  double cpus = 0;         // in use now
  std::string bottleneck;  // of a pipeline: the name of the stage that was it most, if there is one
  uint64_t bottleneck_ns = 0;  // for how long
};

struct ProcessTreeView {
  uint64_t length_ns = 0;     // since the root began, or was first seen
  std::vector<TreeRow> rows;  // children follow their parents
  size_t left_out = 0;        // processes that ended when there were too many
};

}  // namespace pipetop

// What `pipetop watch` prints in place of its screen: all pipes, one pipeline, or what a command's
// pipeline did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/watch/pipeline_runs.h"
#include "tui/print/document.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {

struct WatchPrint {
  uint64_t begin_ns = 0;  // of the watching, CLOCK_MONOTONIC
  uint64_t over_ns = 0;   // the time that rates are of
  PipeSort sort = PipeSort::rate;
  std::string filter = {};
  bool text = true;   // is wanted, not only the JSON: it takes long for 20,000 pipes
  int columns = 120;  // of it
  std::vector<std::string> leftovers = {};  // changes that pipetops which have ended left in place
};

// The open pipeline, or else all pipes.
Document watch_document(const Snapshot& now, const WatchPrint& how);

// The result of `watch -- COMMAND`, at its end.
struct CommandResult {
  std::vector<std::string> words;
  uint64_t begin_ns = 0, now_ns = 0, duration_ns = 0;
  uint64_t cpu_ns = 0;  // of it and of all processes that were waited for, user and system
  int exit_code = 0;    // 128 + signal, if one ended it
  int signal = 0;
  std::string reason;                  // why BPF didn't see it, "why; remedy"; else ""
  std::vector<PipelineRun> runs = {};  // none: no pipe was seen
  ProcessTreeView tree = {};           // of it and all that it started
  uint64_t tree_cpu_ns = 0;            // what these used, as far as they were seen
};

Document command_document(const CommandResult& result, int columns);

// What these say of a pipeline. `over_ns`: the time that its rates are of; 0: that of its shares.
std::string pipeline_text(const Pipeline& pipeline, int columns, uint64_t over_ns = 0);

}  // namespace pipetop::tui

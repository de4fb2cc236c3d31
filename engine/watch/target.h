// Finds what `watch TARGET` means in a scan, or says what is there instead.
#pragma once

#include <string>
#include <string_view>

#include "engine/watch/scan_index.h"
#include "engine/watch/watch_parts.h"

namespace pipetop {

// What `watch` can be given: a process, one of its descriptors, the path of a FIFO.
struct WatchTarget {
  pid_t pid = 0;  // 0: by path
  int fd = -1;    // -1: whatever it holds
  std::string path;
};
WatchTarget parse_target(std::string_view text);  // throws Error

// The pipe at a descriptor of a process, or of a FIFO by its path. Throws Error: "why; remedy".
PipeId find_pipe(const WatchTarget& target, const PipeScan& scan, const WatchParts& parts);

// The process that has this number now. Throws Error if there is none.
ProcessId find_process(pid_t pid, const WatchParts& parts);

// Why neither a process nor what it started has a pipe: what it holds instead, or that nobody may
// see it. "why; remedy".
std::string why_no_pipe(pid_t pid, const PipeScan& scan, const WatchParts& parts);

}  // namespace pipetop

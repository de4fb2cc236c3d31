// Scans without who makes them: a report that goes into a log is not what its reader asked for.
#pragma once

#include <sys/types.h>

#include <memory>

#include "engine/observe/pipe_scanner.h"

namespace pipetop::observe {

// Leaves out this process and those that it has forked to help it, which have its name; and the
// pipes of which nobody else holds one side. PipeScan::self_pipes counts these.
void leave_out_self(pid_t self, PipeScan& scan);

// What `all` scans, without this process.
std::unique_ptr<PipeScanner> without_self(std::unique_ptr<PipeScanner> all);

}  // namespace pipetop::observe

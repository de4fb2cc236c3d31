// Pipes of made-up programs.
#pragma once

#include "engine/model/snapshot.h"

namespace pipetop::tui {

// seq | gzip | wc, with gzip as the bottleneck; and a pipe that an unknown process writes.
Snapshot example_pipes();

Pipeline example_pipeline();

}  // namespace pipetop::tui

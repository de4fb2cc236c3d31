// The least that can be done: the same system calls on the same buffers and CPUs
// with no control block, no counters and no engine.
#pragma once

#include "engine/model/settings.h"

namespace pipetop::bench {

// GiB/s of `bytes` through a fresh pipe between two forked processes.
double bare_rate(const Settings& settings, int writer_cpu, int reader_cpu, uint64_t bytes);

}  // namespace pipetop::bench

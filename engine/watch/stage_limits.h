// What /proc and /sys say of the stage to blame beyond its clocks: an advice needs a number.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/host/host.h"
#include "engine/host/quota.h"
#include "engine/model/pipeline.h"
#include "engine/process/proc_files.h"

namespace pipetop {

// Those of a stage that are asked what they are.
inline constexpr int kAskedFds = 32;

// Some of it are totals, which grow.
struct LimitTotals {
  uint64_t at_ns = 0;  // set by the caller
  std::optional<ProcessIo> io;
  CpuTimes cpu;
  std::vector<QuotaTotals> quotas;       // of its cgroups
  std::optional<DiskUse> disk;           // without `busy`
  std::optional<uint64_t> disk_busy_ms;  // of its device
  std::optional<SocketQueues> socket;
  std::optional<NamedProcess> child;
};

// Asks for what `wait` makes worth asking for.
LimitTotals read_limits(pid_t pid, WaitsFor wait);

StageLimits limits_between(const LimitTotals& before, const LimitTotals& after);

// The socket with this inode in a text of /proc/PID/net/tcp or tcp6.
std::optional<SocketQueues> parse_tcp(std::string_view text, uint64_t inode);

}  // namespace pipetop

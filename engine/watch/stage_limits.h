// What /proc and /sys say of the stage to blame beyond its clocks: an advice needs a number. And
// the CPU quotas of all stages.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  std::optional<DiskUse> disk;           // without `busy`
  std::optional<uint64_t> disk_busy_ms;  // of its device
  std::optional<SocketQueues> socket;
  std::optional<NamedProcess> child;  // `blocked`: now
  uint64_t child_cpu_ticks = 0;
};

// Asks for what `wait` makes worth asking for.
LimitTotals read_limits(pid_t pid, WaitsFor wait);

StageLimits limits_between(const LimitTotals& before, const LimitTotals& after);

// The quotas of cgroups, each read once however many processes are in it.
class KnownQuotas {
 public:
  using Read = std::function<std::vector<QuotaTotals>(const std::string& memberships)>;
  explicit KnownQuotas(Read read) : read_(std::move(read)) {}

  struct Quota {
    std::optional<double> cpus;            // that the tightest allows; nothing: there is none
    std::optional<Throttling> throttling;  // nothing: no period has ended between two readings
  };

  // Of the cgroups in a text of /proc/PID/cgroup, and of those around them. Read anew if it is
  // older than `most_ns`; then what it did since the reading before.
  const Quota& of(const std::string& memberships, uint64_t now_ns, uint64_t most_ns);

  // Those that were read before this time.
  void forget(uint64_t before_ns) {
    std::erase_if(known_, [&](const auto& entry) { return entry.second.read_ns < before_ns; });
  }

 private:
  struct Known {
    Quota quota;
    std::vector<QuotaTotals> totals;
    uint64_t read_ns = 0;
  };

  Read read_;
  std::map<std::string, Known> known_;
};

// The connection with this inode in a text of /proc/PID/net/tcp or tcp6; who listens has none.
std::optional<SocketQueues> parse_tcp(std::string_view text, uint64_t inode);

}  // namespace pipetop

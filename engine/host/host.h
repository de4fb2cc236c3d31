// Facts about the machine: what does not change while pipetop runs, the time that its host steals,
// how much of it tasks wait for CPUs, and what quotas stop.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/reading.h"
#include "engine/host/quota.h"
#include "engine/model/snapshot.h"

namespace pipetop {

HostInfo read_host();

// Whether `flags` of /proc/cpuinfo name `flag`.
bool has_cpu_flag(std::string_view cpuinfo, std::string_view flag);

// "madvise" from "always [madvise] never"; the line itself when nothing is bracketed.
std::string bracketed(std::string_view text);

// A setting of transparent huge pages, and the file that decides it.
struct ThpSetting {
  std::string value;  // "always", "madvise", "never", ...; "" without THP
  std::string file;
};
// For pages of 2 MiB: their own file of this name, "enabled" or "shmem_enabled", overrides the one
// for all sizes, unless it says "inherit", or the other one denies, or the kernel is older
// than 6.8.
ThpSetting read_thp(const std::string& name,
                    const std::string& folder = "/sys/kernel/mm/transparent_hugepage");

// "KVM" from the hypervisor's vendor string in CPUID leaf 0x40000000, or from DMI's
// sys_vendor; the text itself if it is unknown.
std::string hypervisor_name(std::string_view vendor);

// Cumulative jiffies of /proc/stat's "cpu" line.
struct CpuTimes {
  uint64_t total = 0;
  uint64_t steal = 0;
  uint64_t idle = 0;  // also while a disk was waited for
};
CpuTimes parse_cpu_times(std::string_view stat);  // zero if there is no such line
CpuTimes read_cpu_times();

// Share of all CPUs' time: with more steal a rate is unreliable.
inline constexpr double kMuchSteal = 0.05;

// The share of stolen time between two readings; 0 if no time passed.
double steal_share(const CpuTimes& before, const CpuTimes& after);
// From `before` until now.
Reading<double> steal_since(const CpuTimes& before);

// "total" of the line "some" of a file in /proc/pressure; nothing if there is none.
std::optional<uint64_t> parse_pressure_us(std::string_view text);

// Totals of what takes CPUs from us.
struct MachineTotals {
  uint64_t at_ns = 0;
  CpuTimes cpu;
  std::optional<uint64_t> pressure_us;
  std::vector<QuotaTotals> quotas;
};
MachineTotals read_machine(uint64_t now_ns);

// Between two readings.
struct MachineShares {
  Reading<double> steal;     // of all CPUs' time
  Reading<double> pressure;  // of the time: some task of the machine waited for a CPU
  Reading<Throttling> throttling;
};
MachineShares shares_between(const MachineTotals& before, const MachineTotals& after);

// The shares over the last few seconds.
class MachineMeter {
 public:
  // Reads at most once a second.
  void sample(uint64_t now_ns);
  MachineShares shares() const;

 private:
  std::deque<MachineTotals> samples_;
};

}  // namespace pipetop

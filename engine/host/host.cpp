#include "engine/host/host.h"

#include <sys/utsname.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/process/placement.h"

namespace pipetop {
namespace {

constexpr uint64_t kInterval = 1'000'000'000;
constexpr uint64_t kWindow = 5 * kInterval;
constexpr const char* kVulnerabilities = "/sys/devices/system/cpu/vulnerabilities";

struct Vendor {
  std::string_view text, name;
};

constexpr std::array kVendors = {
    Vendor{"KVMKVMKVM", "KVM"},
    Vendor{"Linux KVM Hv", "KVM"},
    Vendor{"XenVMMXenVMM", "Xen"},
    Vendor{"Microsoft Hv", "Hyper-V"},
    Vendor{"VMwareVMware", "VMware"},
    Vendor{"VBoxVBoxVBox", "VirtualBox"},
    Vendor{"TCGTCGTCGTCG", "QEMU (TCG)"},
    Vendor{"bhyve bhyve ", "bhyve"},
    Vendor{"ACRNACRNACRN", "ACRN"},
    Vendor{" lrpepyh  vr", "Parallels"},
    Vendor{"QEMU", "QEMU"},
    Vendor{"VMware, Inc.", "VMware"},
    Vendor{"innotek GmbH", "VirtualBox"},
    Vendor{"Microsoft Corporation", "Hyper-V"},
    Vendor{"Xen", "Xen"},
};

std::string read_cpu_model(const std::string& cpuinfo, const utsname& system) {
  for (const char* key : {"model name", "Model", "Processor", "cpu model", "cpu"}) {
    const std::string_view model = keyed_value(cpuinfo, key);
    if (!model.empty()) return std::string(model);
  }
  return system.machine;
}

// The hypervisor's name for itself; only available on x86.
std::string cpuid_vendor() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned eax = 0, vendor[3] = {};
  __cpuid(0x40000000, eax, vendor[0], vendor[1], vendor[2]);
  char text[sizeof vendor];
  std::memcpy(text, vendor, sizeof text);
  std::string name(text, sizeof text);
  const auto printable = [](char c) { return c == 0 || (c >= 0x20 && c < 0x7f); };
  if (std::ranges::all_of(name, printable)) return name;
#endif
  return {};
}

std::string read_hypervisor(const std::string& cpuinfo) {
  const std::string type = first_line(read_head("/sys/hypervisor/type"));
  if (!type.empty()) return type == "xen" ? "Xen" : type;
  const bool flagged = has_cpu_flag(cpuinfo, "hypervisor");
  std::string name = flagged ? hypervisor_name(cpuid_vendor()) : std::string();
  if (!name.empty()) return name;
  const std::string dmi = first_line(read_head("/sys/class/dmi/id/sys_vendor"));
  name = hypervisor_name(dmi);
  // A vendor's name that is not a hypervisor's is the maker of the machine.
  if (name != dmi || dmi == "QEMU" || dmi == "Xen") return name;
  return flagged ? "unknown" : "";
}

std::vector<Mitigation> read_mitigations() {
  std::vector<Mitigation> mitigations;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kVulnerabilities, error))
    mitigations.push_back({entry.path().filename(), first_line(read_head(entry.path()))});
  std::ranges::sort(mitigations, {}, &Mitigation::flaw);
  return mitigations;
}

Reading<double> steal_between(const CpuTimes& before, const CpuTimes& after) {
  if (after.total <= before.total) return Reading<double>::warming("too short to measure");
  return Reading<double>::of(steal_share(before, after));
}

Reading<double> pressure_between(const MachineTotals& before, const MachineTotals& after) {
  if (!before.pressure_us || !after.pressure_us)
    return Reading<double>::unavailable("the kernel has no /proc/pressure; boot it with psi=1");
  if (after.at_ns <= before.at_ns) return Reading<double>::warming("too short to measure");
  const double us = double(*after.pressure_us - std::min(*before.pressure_us, *after.pressure_us));
  return Reading<double>::of(std::min(1e3 * us / double(after.at_ns - before.at_ns), 1.0));
}

}  // namespace

HostInfo read_host() {
  utsname system{};
  uname(&system);
  // The lines of the first CPU are enough.
  const std::string cpuinfo = read_head("/proc/cpuinfo", 16384);
  HostInfo host;
  host.kernel = system.release;
  host.cpu = read_cpu_model(cpuinfo, system);
  host.cpus = static_cast<int>(read_topology().size());
  host.hypervisor = read_hypervisor(cpuinfo);
  host.mitigations = read_mitigations();
  host.thp = read_thp("enabled").value;
  host.psi = first_line(read_head("/proc/pressure/cpu"));
  host.pipe_max_size = uint64_t(read_number("/proc/sys/fs/pipe-max-size", 0));
  host.governor = first_line(read_head("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  return host;
}

ThpSetting read_thp(const std::string& name, const std::string& folder) {
  ThpSetting all = {"", folder + "/" + name};
  all.value = bracketed(read_head(all.file));
  ThpSetting own = {"", folder + "/hugepages-2048kB/" + name};
  own.value = bracketed(read_head(own.file));
  return own.value.empty() || own.value == "inherit" || all.value == "deny" ? all : own;
}

bool has_cpu_flag(std::string_view cpuinfo, std::string_view flag) {
  return std::ranges::count(split(keyed_value(cpuinfo, "flags"), ' '), flag) > 0;
}

std::string bracketed(std::string_view text) {
  const size_t open = text.find('['), close = text.find(']', std::min(open, text.size()));
  if (open == text.npos || close == text.npos) return first_line(text);
  return std::string(text.substr(open + 1, close - open - 1));
}

std::string hypervisor_name(std::string_view vendor) {
  while (vendor.ends_with('\0')) vendor.remove_suffix(1);
  const auto known = std::ranges::find(kVendors, vendor, &Vendor::text);
  return known == kVendors.end() ? first_line(vendor) : std::string(known->name);
}

CpuTimes parse_cpu_times(std::string_view stat) {
  std::istringstream line{first_line(stat)};
  std::string label;
  if (!(line >> label) || label != "cpu") return {};
  // user nice system idle iowait irq softirq steal; guest times, which follow,
  // are part of user and nice.
  CpuTimes times;
  uint64_t jiffies = 0;
  for (int field = 0; field < 8 && line >> jiffies; ++field) {
    times.total += jiffies;
    if (field == 3 || field == 4) times.idle += jiffies;
    if (field == 7) times.steal = jiffies;
  }
  return times;
}

CpuTimes read_cpu_times() { return parse_cpu_times(read_head("/proc/stat", 4096)); }

double steal_share(const CpuTimes& before, const CpuTimes& after) {
  // The kernel's sums can step back by a jiffy when a CPU goes offline.
  if (after.total <= before.total || after.steal < before.steal) return 0;
  const double share = double(after.steal - before.steal) / double(after.total - before.total);
  return std::min(share, 1.0);
}

Reading<double> steal_since(const CpuTimes& before) {
  return steal_between(before, read_cpu_times());
}

std::optional<uint64_t> parse_pressure_us(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  constexpr std::string_view kTotal = "total=";
  const size_t at = line.find(kTotal);
  if (!line.starts_with("some ") || at == line.npos) return {};
  uint64_t us = 0;
  const std::string_view digits = line.substr(at + kTotal.size());
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), us);
  return end.ec == std::errc() ? std::optional(us) : std::nullopt;
}

MachineTotals read_machine(uint64_t now_ns) {
  return {now_ns, read_cpu_times(), parse_pressure_us(read_head("/proc/pressure/cpu")),
          read_quotas()};
}

MachineShares shares_between(const MachineTotals& before, const MachineTotals& after) {
  return {steal_between(before.cpu, after.cpu), pressure_between(before, after),
          throttling_between(before.quotas, after.quotas)};
}

void MachineMeter::sample(uint64_t now_ns) {
  if (!samples_.empty() && now_ns < samples_.back().at_ns + kInterval) return;
  samples_.push_back(read_machine(now_ns));
  while (samples_.size() > 2 && samples_[1].at_ns + kWindow <= now_ns) samples_.pop_front();
}

MachineShares MachineMeter::shares() const {
  return samples_.empty() ? MachineShares{} : shares_between(samples_.front(), samples_.back());
}

}  // namespace pipetop

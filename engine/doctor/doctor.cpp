#include "engine/doctor/doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>

#include "engine/doctor/doctor_checks.h"
#include "engine/host/host.h"
#include "engine/process/placement.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

constexpr std::array kPairs = {Placement::same_cpu, Placement::smt, Placement::near,
                               Placement::far};

Check check_cpus() {
  const std::string name = "CPUs and placement";
  const std::vector<Cpu> cpus = read_topology();
  std::string can, cannot;
  for (const Placement placement : kPairs) {
    PipeSettings request;
    request.placement = placement;
    const bool had = choose_cpus(request, cpus).placement == placement;
    std::string& list = had ? can : cannot;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", to_text(placement));
  }
  const std::string found = fmt::format("{} CPU{}: {}{}", cpus.size(), cpus.size() == 1 ? "" : "s",
                                        can, cannot.empty() ? "" : "; no " + cannot);
  if (cpus.size() >= 2) return works(name, found);
  return {name, CheckResult::limited, found, "writer and reader must share the only CPU",
          "taskset -cp 0-1 $$, or give the machine a second CPU"};
}

// Since boot, because time is stolen only from running tasks, and doctor runs none.
Check check_steal() {
  const std::string name = "host";
  const HostInfo host = read_host();
  const double share = steal_share({}, read_cpu_times());
  const std::string found = fmt::format(
      "{}, {:.1f} % of the time stolen since boot",
      host.hypervisor.empty() ? "bare metal" : "a guest of " + host.hypervisor, 100 * share);
  if (share <= kMuchSteal) return works(name, found);
  return {name, CheckResult::limited, found,
          "other guests slow this one down: rates are unreliable",
          "measure on a quiet or dedicated host"};
}

}  // namespace

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

std::vector<Check> diagnose() {
  Checks all;
  for (const auto part : {check_pipes, check_memory, check_machine, check_observers}) {
    Checks checks = part();
    std::ranges::move(checks, std::back_inserter(all));
  }
  return all;
}

Checks check_machine() { return {check_cpus(), check_steal()}; }

}  // namespace pipetop

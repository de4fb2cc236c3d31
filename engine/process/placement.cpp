#include "engine/process/placement.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "engine/process/threads.h"

namespace pipetop {
namespace {

// The first CPU of a file's list such as "0-3,8": it identifies the group.
int first_of_list(const std::string& path, int otherwise) {
  std::ifstream file(path);
  int number = otherwise;
  return file >> number ? number : otherwise;
}

Cpu read_cpu(int number) {
  const std::string base = fmt::format("/sys/devices/system/cpu/cpu{}/", number);
  Cpu cpu{number, first_of_list(base + "topology/thread_siblings_list", number), number};
  // The last level is the highest existing index.
  for (int level = 0; level < 8; ++level)
    cpu.cluster =
        first_of_list(fmt::format("{}cache/index{}/shared_cpu_list", base, level), cpu.cluster);
  return cpu;
}

bool fits(Placement placement, const Cpu& a, const Cpu& b) {
  switch (placement) {
    case Placement::smt:
      return a.core == b.core;
    case Placement::near:
      return a.core != b.core && a.cluster == b.cluster;
    case Placement::far:
      return a.cluster != b.cluster;
    default:
      return false;
  }
}

bool find_pair(Placement placement, std::span<const Cpu> allowed, PlacementChoice& choice) {
  for (size_t i = 0; i < allowed.size(); ++i) {
    for (size_t j = i + 1; j < allowed.size(); ++j) {
      if (!fits(placement, allowed[i], allowed[j])) continue;
      choice.placement = placement;
      choice.writer_cpu = allowed[i].number;
      choice.reader_cpu = allowed[j].number;
      return true;
    }
  }
  return false;
}

std::string why_not(Placement placement, size_t allowed) {
  if (allowed < 2) return "pipetop may use only one CPU (see taskset -p)";
  switch (placement) {
    case Placement::smt:
      return "no two allowed CPUs are threads of one core";
    case Placement::far:
      return "all allowed CPUs share one last-level cache";
    default:
      return "no two allowed cores share a last-level cache";
  }
}

PlacementChoice chosen_cpus(const PipeSettings& settings, std::span<const Cpu> allowed) {
  PlacementChoice choice{Placement::cpus, settings.writer_cpu, settings.reader_cpu, {}};
  for (int* cpu : {&choice.writer_cpu, &choice.reader_cpu}) {
    if (*cpu == kNoCpu || std::ranges::find(allowed, *cpu, &Cpu::number) != allowed.end()) continue;
    choice.reason +=
        fmt::format("{}pipetop may not use CPU {}", choice.reason.empty() ? "" : "; ", *cpu);
    *cpu = kNoCpu;
  }
  return choice;
}

}  // namespace

std::vector<Cpu> read_topology() {
  std::vector<Cpu> cpus;
  for (const int number : cpus_of(0)) cpus.push_back(read_cpu(number));
  return cpus;
}

PlacementChoice choose_cpus(const PipeSettings& settings, std::span<const Cpu> allowed) {
  if (settings.placement == Placement::cpus) return chosen_cpus(settings, allowed);
  PlacementChoice choice;
  if (settings.placement == Placement::unpinned || allowed.empty()) return choice;
  if (settings.placement != Placement::same_cpu) {
    if (find_pair(settings.placement, allowed, choice)) return choice;
    choice.reason = why_not(settings.placement, allowed.size());
    for (const Placement next : {Placement::near, Placement::far, Placement::smt})
      if (find_pair(next, allowed, choice)) return choice;
  }
  choice.placement = Placement::same_cpu;
  choice.writer_cpu = choice.reader_cpu = allowed.front().number;
  return choice;
}

int pin(pid_t pid, int cpu, std::span<const Cpu> allowed) {
  std::vector<int> cpus;
  for (const Cpu& candidate : allowed)
    if (cpu == kNoCpu || candidate.number == cpu) cpus.push_back(candidate.number);
  return set_cpus(pid, cpus);
}

}  // namespace pipetop

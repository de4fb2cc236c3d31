#include "engine/workload/page_cache/page_cache_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <set>

#include "engine/workload/page_cache/page_cache_knobs.h"

namespace pipetop {
namespace {

// One CPU of each core first, then the other threads; starts over when none is left.
std::vector<int> cpus_for(uint32_t clients, std::span<const Cpu> allowed) {
  if (allowed.empty()) return std::vector<int>(clients, kNoCpu);
  std::vector<int> order, threads;
  std::set<int> cores;
  for (const Cpu& cpu : allowed)
    (cores.insert(cpu.core).second ? order : threads).push_back(cpu.number);
  order.insert(order.end(), threads.begin(), threads.end());
  std::vector<int> cpus;
  for (uint32_t i = 0; i < clients; ++i) cpus.push_back(order[i % order.size()]);
  return cpus;
}

void plan_gang(const Settings& requested, PageCachePlan& plan) {
  PageCacheSettings& s = plan.settings.page_cache;
  s.gang_size = std::min(s.gang_size, static_cast<uint32_t>(s.chunk_size / kPageBytes));
  note_difference("gang_size", requested, plan.settings, "a call requests at most chunk_size",
                  plan.mismatches);
}

void plan_cpus(std::span<const Cpu> allowed, PageCachePlan& plan) {
  const uint32_t clients = plan.settings.page_cache.clients;
  plan.cpus = cpus_for(clients, allowed);
  const bool refused =
      std::ranges::find(plan.mismatches, "clients", &Mismatch::knob) != plan.mismatches.end();
  if (clients <= allowed.size() || allowed.empty() || refused) return;
  plan.mismatches.push_back(
      {"clients", std::to_string(clients),
       fmt::format("{} on {} CPU{}", clients, allowed.size(), allowed.size() == 1 ? "" : "s"),
       "more clients than allowed CPUs: they share them"});
}

}  // namespace

void note_difference(std::string_view name, const Settings& requested, const Settings& in_force,
                     const std::string& reason, std::vector<Mismatch>& mismatches) {
  const Knob& k = *find_knob(page_cache_knobs(), name);
  const std::string asked = k.get(requested), got = k.get(in_force);
  if (asked == got || std::ranges::find(mismatches, name, &Mismatch::knob) != mismatches.end())
    return;
  mismatches.push_back({std::string(name), asked, got, reason});
}

uint64_t ring_bytes_for(uint64_t chunk_bytes) {
  return std::max(kPageBytes, std::bit_ceil(chunk_bytes));
}

PageCachePlan plan_page_cache(const Settings& requested, const Settings& granted,
                              const std::string& refusal, std::span<const Cpu> allowed) {
  PageCachePlan plan;
  plan.settings = granted;
  for (const std::string_view name : {"clients", "files", "file_size"})
    note_difference(name, requested, granted, refusal, plan.mismatches);
  plan_gang(requested, plan);
  plan_cpus(allowed, plan);
  return plan;
}

}  // namespace pipetop

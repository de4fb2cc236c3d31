#include "engine/workload/page_cache/page_cache_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "engine/base/numbers.h"
#include "engine/workload/knob_makers.h"

namespace pipetop {
namespace {

using namespace knob_makers;
using Knobs = PageCacheSettings;

constexpr auto kOurs = &Settings::page_cache;
constexpr std::array<std::string_view, 2> kFiles = {"same", "own"};  // by Files

const std::array kKnobs = {
    number<1, kMaxClients, kOurs, &Knobs::clients>(
        "clients", "processes, each with its own pipe and, if there are enough, its own CPU"),
    choice<kFiles, kOurs, &Knobs::files>("files", {}, "all clients read one file, or each its own"),
    size<kLeastFileBytes, kMostFileBytes, kOurs, &Knobs::file_size>(
        "file_size", "size of each file, kept in the page cache, 1MiB to 64GiB"),
    size<kPageBytes, kMostChunkBytes, kOurs, &Knobs::chunk_size>(
        "chunk_size", "bytes put into the pipe before it is drained, 4KiB to 1MiB"),
    number<1, kMaxGang, kOurs, &Knobs::gang_size>("gang_size", "pages requested per splice"),
};

constexpr std::array kHotKeys = {
    next_key<kFiles, kOurs, &Knobs::files>('s', "files", "files"),
    step_key<less<1u>, kOurs, &Knobs::clients>('<', "clients", "clients -"),
    step_key<more<kMaxClients>, kOurs, &Knobs::clients>('>', "clients", "clients +"),
    step_key<half<kPageBytes>, kOurs, &Knobs::chunk_size>('{', "chunk_size", "chunk -"),
    step_key<twice<kMostChunkBytes>, kOurs, &Knobs::chunk_size>('}', "chunk_size", "chunk +"),
    step_key<half<1u>, kOurs, &Knobs::gang_size>('(', "gang_size", "gang -"),
    step_key<twice<kMaxGang>, kOurs, &Knobs::gang_size>(')', "gang_size", "gang +"),
};

Preset preset(std::string name, std::string title, uint32_t clients, Files files) {
  Settings s;
  s.workload = WorkloadKind::page_cache;
  s.page_cache.clients = clients;
  s.page_cache.files = files;
  return {std::move(name), std::move(title), s};
}

bool is_noted(std::string_view knob, const Effective& effective) {
  return std::ranges::find(effective.mismatches, knob, &Mismatch::knob) !=
         effective.mismatches.end();
}

// Unless it is noted already.
void note_difference(std::string_view name, const Settings& requested, const std::string& reason,
                     Effective& effective) {
  Mismatch found = mismatch_of(page_cache_knobs(), name, requested, effective.settings, reason);
  if (found.requested == found.effective || is_noted(name, effective)) return;
  effective.mismatches.push_back(std::move(found));
}

void plan_gang(const Settings& requested, Effective& plan) {
  PageCacheSettings& s = plan.settings.page_cache;
  s.gang_size = std::min(s.gang_size, static_cast<uint32_t>(s.chunk_size / kPageBytes));
  note_difference("gang_size", requested, "a call requests at most chunk_size", plan);
}

void plan_cpus(std::span<const Cpu> allowed, Effective& plan) {
  const uint32_t clients = plan.settings.page_cache.clients;
  if (clients <= allowed.size() || allowed.empty() || is_noted("clients", plan)) return;
  plan.mismatches.push_back({"clients", std::to_string(clients),
                             fmt::format("{} on {}", clients, counted(allowed.size(), "CPU")),
                             "more clients than allowed CPUs: they share them"});
}

void judge_chunk(const Settings& requested, const PageCacheFacts& facts, Effective& effective) {
  PageCacheSettings& s = effective.settings.page_cache;
  if (facts.resize_error == 0) return;
  s.chunk_size = std::min(s.chunk_size, facts.chunk_bytes);
  s.gang_size = std::min(s.gang_size, static_cast<uint32_t>(s.chunk_size / kPageBytes));
  const std::string reason =
      facts.resize_error == EPERM
          ? "the pipe cannot be larger: over /proc/sys/fs/pipe-max-size, or this user's "
            "/proc/sys/fs/pipe-user-pages-soft"
          : fmt::format("F_SETPIPE_SZ: {}", std::strerror(facts.resize_error));
  for (const std::string_view name : {"chunk_size", "gang_size"})
    note_difference(name, requested, reason, effective);
}

// For one client, shared and own files are the same.
PageCacheSettings alone(const Settings& s) {
  PageCacheSettings one = s.page_cache;
  one.clients = 1;
  one.files = Files::same;
  return one;
}

bool was_alone(const Segment& segment, const Settings& in_force) {
  return segment.effective.page_cache.clients == 1 && segment.rate.has_value() &&
         segment.rate->mean > 0 && alone(segment.effective) == alone(in_force);
}

}  // namespace

std::span<const Knob> page_cache_knobs() { return kKnobs; }
std::span<const HotKey> page_cache_hot_keys() { return kHotKeys; }

std::span<const Preset> page_cache_presets() {
  static const std::array presets = {
      preset("one_client", "one client, one file", 1, Files::same),
      preset("two_clients_same", "two clients, the same file", 2, Files::same),
      preset("two_clients_own", "two clients, each its own file", 2, Files::own)};
  return presets;
}

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

Effective plan_page_cache(const Settings& requested, const Settings& granted,
                          const std::string& refusal, std::span<const Cpu> allowed) {
  Effective plan;
  plan.settings = granted;
  for (const std::string_view name : {"clients", "files", "file_size"})
    note_difference(name, requested, refusal, plan);
  plan_gang(requested, plan);
  plan_cpus(allowed, plan);
  return plan;
}

Effective make_page_cache_effective(const Settings& requested, const Effective& plan,
                                    const PageCacheFacts& facts) {
  Effective effective = plan;
  effective.pipe.huge = Reading<bool>::unavailable("no buffers: the pages belong to the file");
  judge_chunk(requested, facts, effective);
  judge_lending(kFileLending, facts.seen, facts.probe, effective.pipe);
  return effective;
}

Reading<double> efficiency_of(const Throughput& t, const Settings& in_force) {
  const auto one = std::find_if(t.segments.rbegin(), t.segments.rend(),
                                [&](const auto& segment) { return was_alone(*segment, in_force); });
  if (one == t.segments.rend()) return Reading<double>::warming("run with 1 client first");
  if (!t.current.rate.has_value()) return Reading<double>::warming(t.current.rate.reason);
  const double all = (*one)->rate->mean * in_force.page_cache.clients;
  return Reading<double>::of(t.current.rate->mean / all);
}

}  // namespace pipetop

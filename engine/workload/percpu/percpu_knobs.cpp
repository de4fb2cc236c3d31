#include "engine/workload/percpu/percpu_knobs.h"

#include <array>

#include "engine/workload/knob_makers.h"
#include "engine/workload/percpu/tc_actions.h"

namespace pipetop {
namespace {

using namespace knob_makers;
using P = PercpuSettings;

constexpr uint32_t kMostWorkers = 64;
constexpr uint32_t kMostRules = 1'000'000;

// Indexed by its enumeration.
constexpr std::array<std::string_view, 2> kProfiles = {"mirred", "gact"};

constexpr auto kOf = &Settings::percpu;

const std::array kKnobs = {
    number<1, kMostWorkers, kOf, &P::workers>(
        "workers", "processes that insert rules, each in its own network, 1 to 64"),
    choice<kProfiles, kOf, &P::profile>(
        "profile", {}, "action of a rule: mirred redirects packets, gact drops them"),
    boolean<kOf, &P::no_percpu>(
        "no_percpu", {}, "one set of counters per rule, under a lock, instead of one per CPU"),
    number<1, kMostRules, kOf, &P::rules>(
        "rules", "rules per worker, 1 to 1000000; then all are removed again"),
    number<1, percpu::kMaxBatch, kOf, &P::batch>(
        "batch", "rules per call, 1 to 128; with 1 each is acknowledged, as with tc -b"),
};

constexpr std::array kHotKeys = {
    toggle_key<kOf, &P::no_percpu>('p', "no_percpu", "no per-CPU"),
    next_key<kProfiles, kOf, &P::profile>('m', "profile", "profile"),
    step_key<less<1u>, kOf, &P::workers>('<', "workers", "workers -"),
    step_key<more<kMostWorkers>, kOf, &P::workers>('>', "workers", "workers +"),
    step_key<half<1u>, kOf, &P::rules>('{', "rules", "rules -"),
    step_key<twice<kMostRules>, kOf, &P::rules>('}', "rules", "rules +"),
    step_key<half<1u>, kOf, &P::batch>('(', "batch", "batch -"),
    step_key<twice<percpu::kMaxBatch>, kOf, &P::batch>(')', "batch", "batch +"),
};

// The two halves of the 2019 series' tables, then the same with fewer system calls
// per rule.
std::array<Preset, 4> make_presets() {
  Settings s;
  s.workload = WorkloadKind::percpu;
  std::array<Preset, 4> presets;
  presets[0] = {"percpu", "counters per CPU", s, 0};
  s.percpu.no_percpu = true;
  presets[1] = {"no_percpu", "one set of counters, under a lock", s, 0};
  s.percpu.batch = percpu::kMaxBatch;
  presets[3] = {"no_percpu_batched", "one set of counters, 128 rules per call", s, 0};
  s.percpu.no_percpu = false;
  presets[2] = {"percpu_batched", "counters per CPU, 128 rules per call", s, 0};
  return presets;
}

}  // namespace

std::span<const Knob> percpu_knobs() { return kKnobs; }
std::span<const HotKey> percpu_hot_keys() { return kHotKeys; }

std::span<const Preset> percpu_presets() {
  static const std::array<Preset, 4> presets = make_presets();
  return presets;
}

std::string_view to_text(Profile v) { return kProfiles[static_cast<size_t>(v)]; }

}  // namespace pipetop

#include "engine/experiment/limits_runs.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/experiment/limits_step.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

constexpr TrialLength kLength = {100'000'000, 200'000'000, 0};

// Names that have been stable; the names of the lock's inner functions change.
bool waits_or_wakes(std::string_view function) {
  constexpr std::string_view kBeginnings[] = {
      "mutex_", "__mutex_", "schedule", "__schedule", "__wake_up", "__cond_resched", "pipe_wait"};
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view b) { return function.starts_with(b); });
}

}  // namespace

struct LimitsRuns::Sums {
  // A role's samples over all its measurements.
  struct SampledTime {
    double busy_ns = 0;  // in its call
    uint64_t samples = 0;
    std::string reason = "ended before it was measured";

    void add(const SegmentRole& role, std::string_view call, uint64_t duration_ns) {
      if (!role.functions.has_value()) {
        reason = role.functions.reason;
      } else if (!role.shares.on_cpu.has_value()) {
        reason = role.shares.on_cpu.reason;
      } else {
        const double share = working_share(*role.functions->tree, call);
        busy_ns += share * *role.shares.on_cpu * double(duration_ns);
        samples += role.functions->samples;
      }
    }

    Reading<double> per_page(uint64_t pages) const {
      if (samples == 0 || pages == 0) return Reading<double>::unavailable(reason);
      return Reading<double>::of(busy_ns / double(pages));
    }
  };

  std::vector<double> gib_per_s;
  uint64_t sampled_pages = 0;
  SampledTime vmsplice, release;
  bool one_cpu = false;
  std::string refused;
};

double working_share(const CallTree& tree, std::string_view call) {
  enum : uint8_t { outside, working, waiting };
  std::vector<uint8_t> where(tree.nodes.size(), outside);
  uint64_t found = 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    const std::string_view name = node.function.name();
    if (node.parent != CallNode::kNone) where[i] = where[node.parent];
    if (where[i] == outside && name.find(call) != name.npos) where[i] = working;
    if (where[i] == working && waits_or_wakes(name)) where[i] = waiting;
    if (where[i] == working) found += node.self;
  }
  return tree.total == 0 ? 0 : double(found) / double(tree.total);
}

std::vector<Preset> limits_presets() {
  const Preset& top = *find_preset(article_presets(), "busy_loop_huge");
  std::vector<Preset> presets = {top, top, top};
  presets[1].name = "busy_loop_huge_512k";
  presets[1].title = "the same with a ring of 512 KiB";
  presets[1].settings.pipe.pipe_size = 512 * 1024;
  presets[1].settings.pipe.buf_size = 1024 * 1024;
  presets[2].name = "one_cpu_1m";
  presets[2].title = "both on one CPU, blocking, with a ring of 1 MiB";
  Settings& one_cpu = presets[2].settings;
  one_cpu.pipe.placement = Placement::same_cpu;
  one_cpu.pipe.writer_wait = one_cpu.pipe.reader_wait = Wait::block;
  one_cpu.pipe.pipe_size = 1024 * 1024;
  one_cpu.pipe.buf_size = 2 * 1024 * 1024;
  return presets;
}

LimitsRuns::LimitsRuns(const EngineOptions& options, std::vector<Preset> presets,
                       Interrupts& interrupts)
    : presets_(std::move(presets)), sums_(presets_.size()), session_(options, interrupts) {
  session_.engine().suspend();
}

LimitsRuns::~LimitsRuns() = default;

void LimitsRuns::visit(size_t preset) {
  Sums& sums = sums_[preset];
  if (!sums.refused.empty()) return;
  Engine& engine = session_.engine();
  engine.resume();
  engine.observe(true);
  try {
    const Trial trial = run_trial(session_, presets_[preset].settings, kLength);
    if (!trial.cut_short) {
      const Segment& segment = trial.segment;
      sums.gib_per_s.push_back(trial.rate());
      sums.one_cpu = trial.end.effective.settings.pipe.placement == Placement::same_cpu;
      sums.sampled_pages += segment.items / kPageBytes;
      sums.vmsplice.add(segment.role(Role::writer), "vmsplice", segment.duration_ns);
      sums.release.add(segment.role(Role::reader), "splice", segment.duration_ns);
    }
  } catch (const Error& e) {
    sums.refused = e.what();
  }
  engine.observe(false);  // its timer interrupts would disturb the steps
  engine.suspend();
}

std::vector<LimitsRun> LimitsRuns::results() const {
  std::vector<LimitsRun> results;
  for (size_t i = 0; i < presets_.size(); ++i) {
    const Sums& sums = sums_[i];
    results.push_back({presets_[i].name, presets_[i].settings,
                       spread_or_reason(sums.gib_per_s, sums.refused), sums.one_cpu,
                       sums.vmsplice.per_page(sums.sampled_pages),
                       sums.release.per_page(sums.sampled_pages)});
  }
  return results;
}

}  // namespace pipetop

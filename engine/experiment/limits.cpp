#include "engine/experiment/limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/host/host.h"
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

// An engine whose workers are held between the measurements.
class LimitsRuns {
 public:
  // Throws Error if the pipe or a process cannot be created.
  LimitsRuns(const EngineOptions& options, std::vector<Preset> presets, Interrupts& interrupts)
      : presets_(std::move(presets)), sums_(presets_.size()), session_(options, interrupts) {
    session_.engine().suspend();
  }

  const std::vector<Preset>& presets() const { return presets_; }

  // Measures one of the runs, for about a third of a second.
  void visit(size_t preset) {
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

  std::vector<LimitsRun> results() const {
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

 private:
  struct Sums {
    std::vector<double> gib_per_s;
    uint64_t sampled_pages = 0;
    SampledTime vmsplice, release;
    bool one_cpu = false;
    std::string refused;
  };

  std::vector<Preset> presets_;
  std::vector<Sums> sums_;
  Session session_;
};

// The size of the fastest pipes.
constexpr uint64_t kPagesRingBytes = 512 * 1024;
constexpr LentPagesKind kKinds[] = {{Pages::k4, Touched::never},
                                    {Pages::k4, Touched::again},
                                    {Pages::k4, Touched::yes},
                                    {Pages::thp, Touched::yes},
                                    {Pages::hugetlb, Touched::yes}};
constexpr Pages kGupPages[] = {Pages::k4, Pages::thp, Pages::hugetlb};
constexpr uint64_t kSmallestCopy = 4 * 1024, kLargestCopy = 1024 * 1024;

// The CPUs that a pipe's two ends would use.
struct TwoCpus {
  std::vector<Cpu> allowed = read_topology();
  int cpu = kNoCpu, other = kNoCpu;

  TwoCpus() {
    const PlacementChoice choice = choose_cpus(PipeSettings{}, allowed);
    cpu = choice.writer_cpu;
    if (choice.reader_cpu != choice.writer_cpu) other = choice.reader_cpu;
  }
};

class LimitsMeasurement {
 public:
  LimitsMeasurement(const LimitsOptions& options, Interrupts& interrupts,
                    const StepReport& progress)
      : options_(options), interrupts_(interrupts), progress_(progress) {
    for (const LentPagesKind& kind : kKinds)
      kinds_.emplace_back(to_text(kind), [&] { return lent_pages_step(kind, kPagesRingBytes); });
    for (const Pages pages : kGupPages)
      gup_.emplace_back(fmt::format("gup_test {}", to_text(pages)),
                        [&] { return gup_test_step(pages); });
    for (uint64_t bytes = kSmallestCopy; bytes <= kLargestCopy; bytes *= 2)
      copies_.emplace_back(fmt::format("copying {}", format_size(bytes)),
                           [&] { return copy_step(bytes); });
  }

  Limits measure() {
    const CpuTimes before = read_cpu_times();
    uint32_t rounds = 0;
    while (rounds < options_.rounds && !interrupts_.ended()) {
      const uint64_t begin_ns = interrupts_.now_ns();
      round(++rounds);
      time_left_.add(0, interrupts_.now_ns() - begin_ns);
    }
    Limits limits = result();
    limits.rounds = rounds;
    limits.steal_share = steal_since(before);
    return limits;
  }

 private:
  std::vector<MeasuredStep*> steps() {
    std::vector<MeasuredStep*> all = {&syscall_, &two_cpus_, &one_cpu_, &slots_};
    for (auto* several : {&kinds_, &gup_, &copies_, &rings_.steps()})
      for (MeasuredStep& step : *several) all.push_back(&step);
    return all;
  }

  // Alternating direction, so that a drift of the machine favours no step.
  void round(uint32_t number) {
    std::vector<MeasuredStep*> all = steps();
    if (number % 2 == 0) std::ranges::reverse(all);
    {
      const Pinned pinned(cpus_.cpu, cpus_.allowed);
      for (MeasuredStep* step : all) {
        tell(number, step->name());
        step->visit();
        if (!interrupts_.take()) return;
      }
    }
    for (size_t i = 0; i < runs_.presets().size() && interrupts_.take(); ++i) {
      tell(number, runs_.presets()[i].name);
      runs_.visit(i);
    }
  }

  void tell(uint32_t round, const std::string& what) const {
    const std::array<uint32_t, 1> to_come = {options_.rounds - round + 1};
    progress_({what, round, options_.rounds, 0, 0, time_left_.of(to_come)});
  }

  // What remains of vmsplice's time after filling the slots. The cost of moving a slot was measured
  // with one kind of page, but it does not touch pages.
  LentPagesCost lent(const LentPagesKind& kind, uint64_t ring_bytes,
                     const MeasuredStep& step) const {
    const std::vector<double> get = differences(step.figures(kVmsplice), slots_.figures(kMove));
    const bool none = step.spread(kVmsplice).has_value() && get.empty();
    return {kind, ring_bytes, step.spread(kVmsplice),
            none ? slots_.spread(kMove) : step.spread_of(get), step.spread(kRelease)};
  }

  Limits result() const {
    Limits limits;
    limits.cpu = cpus_.cpu;
    limits.other_cpu = cpus_.other;
    limits.syscall_ns = syscall_.spread(0);
    limits.wakeup_two_cpus_ns = two_cpus_.spread(0);
    limits.wakeup_one_cpu_ns = one_cpu_.spread(0);
    for (size_t i = 0; i < kinds_.size(); ++i)
      limits.pages.push_back(lent(kKinds[i], kPagesRingBytes, kinds_[i]));
    limits.tee_ns = slots_.spread(kTee);
    limits.move_ns = slots_.spread(kMove);
    for (size_t i = 0; i < gup_.size(); ++i)
      limits.gup_test.push_back({kGupPages[i], gup_[i].spread(kGupGet), gup_[i].spread(kGupPut)});
    for (size_t i = 0; i < copies_.size(); ++i)
      limits.copies.push_back(
          {kSmallestCopy << i, copies_[i].spread(kCopyIn), copies_[i].spread(kCopyOut)});
    for (size_t i = 0; i < rings_.steps().size(); ++i)
      limits.rings.push_back(
          lent({rings_.pages(), Touched::yes}, rings_.bytes(i), rings_.steps()[i]));
    limits.roof = rings_.roof();
    limits.runs = runs_.results();
    return limits;
  }

  const LimitsOptions& options_;
  Interrupts& interrupts_;
  const StepReport& progress_;
  TimeLeft time_left_{1, 0};  // of the rounds
  TwoCpus cpus_;
  // The partners first, so that they do not share later mappings.
  MeasuredStep two_cpus_{"wakeups on two CPUs", [this] { return wakeup_step(cpus_.other); }};
  MeasuredStep one_cpu_{"wakeups on one CPU", [this] { return wakeup_step(cpus_.cpu); }};
  LimitsRuns runs_{options_.engine, options_.presets, interrupts_};
  MeasuredStep syscall_{"system calls", empty_syscall_step};
  std::vector<MeasuredStep> kinds_, gup_, copies_;
  RingSteps rings_;
  MeasuredStep slots_{"slots", [this] { return slots_step(rings_.pages(), kPagesRingBytes); }};
};

}  // namespace

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

Reading<double> share_of_roof(const LimitsRun& run, const Reading<Roof>& roof) {
  if (!run.gib_per_s.has_value()) return Reading<double>::unavailable(run.gib_per_s.reason);
  if (!roof.has_value()) return Reading<double>::unavailable(roof.reason);
  const RoofFigure& figure = run.one_cpu ? roof->one_cpu : roof->two_cpus;
  return Reading<double>::of(run.gib_per_s->median / figure.gib_per_s());
}

Limits measure_limits(const LimitsOptions& options, Interrupts& interrupts,
                      const StepReport& progress) {
  return LimitsMeasurement(options, interrupts, progress).measure();
}

Reading<Roof> measure_roof() {
  constexpr int kRounds = 25;
  const TwoCpus cpus;
  RingSteps rings;
  const Pinned pinned(cpus.cpu, cpus.allowed);
  for (int round = 0; round < kRounds; ++round)
    for (MeasuredStep& step : rings.steps()) step.visit();
  return rings.roof();
}

}  // namespace pipetop

#include "engine/experiment/limits.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/experiment/limits_setup.h"
#include "engine/host/host.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

constexpr uint64_t kKiB = 1024;
// The size of the fastest pipes.
constexpr uint64_t kPagesRingBytes = 512 * kKiB;
constexpr LentPagesKind kKinds[] = {{Pages::k4, Touched::never},
                                    {Pages::k4, Touched::again},
                                    {Pages::k4, Touched::yes},
                                    {Pages::thp, Touched::yes},
                                    {Pages::hugetlb, Touched::yes}};
constexpr Pages kGupPages[] = {Pages::k4, Pages::thp, Pages::hugetlb};
constexpr uint64_t kSmallestCopy = 4 * kKiB, kLargestCopy = 1024 * kKiB;

MeasuredStep wakeup(const char* name, int partner_cpu) {
  return {name, [=] {
            if (partner_cpu == kNoCpu) throw Error("pipetop may use only one CPU", Exit::refused);
            return wakeup_step(partner_cpu);
          }};
}

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
                    const LimitsProgress& progress)
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

  Limits measure();

 private:
  std::vector<MeasuredStep*> steps();
  void round(uint32_t number);
  LentPagesCost lent(const LentPagesKind& kind, uint64_t ring_bytes,
                     const MeasuredStep& step) const;
  Limits result() const;

  const LimitsOptions& options_;
  Interrupts& interrupts_;
  const LimitsProgress& progress_;
  TwoCpus cpus_;
  // The partners first, so that they do not share later mappings.
  MeasuredStep two_cpus_ = wakeup("wakeups on two CPUs", cpus_.other);
  MeasuredStep one_cpu_ = wakeup("wakeups on one CPU", cpus_.cpu);
  LimitsRuns runs_{options_.engine, options_.presets, interrupts_};
  MeasuredStep syscall_{"system calls", empty_syscall_step};
  std::vector<MeasuredStep> kinds_, gup_, copies_;
  RingSteps rings_;
  MeasuredStep slots_{"slots", [this] { return slots_step(rings_.pages(), kPagesRingBytes); }};
};

std::vector<MeasuredStep*> LimitsMeasurement::steps() {
  std::vector<MeasuredStep*> all = {&syscall_, &two_cpus_, &one_cpu_, &slots_};
  for (auto* several : {&kinds_, &gup_, &copies_, &rings_.steps()})
    for (MeasuredStep& step : *several) all.push_back(&step);
  return all;
}

// Alternating direction, so that a drift of the machine favours no step.
void LimitsMeasurement::round(uint32_t number) {
  std::vector<MeasuredStep*> all = steps();
  if (number % 2 == 0) std::ranges::reverse(all);
  {
    const Pinned pinned(cpus_.cpu, cpus_.allowed);
    for (MeasuredStep* step : all) {
      progress_(number, step->name());
      step->visit();
      if (!interrupts_.take()) return;
    }
  }
  for (size_t i = 0; i < runs_.presets().size() && interrupts_.take(); ++i) {
    progress_(number, runs_.presets()[i].name);
    runs_.visit(i);
  }
}

Limits LimitsMeasurement::measure() {
  const CpuTimes before = read_cpu_times();
  uint32_t rounds = 0;
  while (rounds < options_.rounds && !interrupts_.ended()) round(++rounds);
  Limits limits = result();
  limits.rounds = rounds;
  limits.steal_share = steal_since(before);
  return limits;
}

// What remains of vmsplice's time after filling the slots. The cost of moving a slot was measured
// with one kind of page, but it does not touch pages.
LentPagesCost LimitsMeasurement::lent(const LentPagesKind& kind, uint64_t ring_bytes,
                                      const MeasuredStep& step) const {
  const std::vector<double> get = differences(step.figures(kVmsplice), slots_.figures(kMove));
  const bool none = step.spread(kVmsplice).has_value() && get.empty();
  return {kind, ring_bytes, step.spread(kVmsplice),
          none ? slots_.spread(kMove) : step.spread_of(get), step.spread(kRelease)};
}

Limits LimitsMeasurement::result() const {
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

}  // namespace

Reading<double> share_of_roof(const LimitsRun& run, const Reading<Roof>& roof) {
  if (!run.gib_per_s.has_value()) return Reading<double>::unavailable(run.gib_per_s.reason);
  if (!roof.has_value()) return Reading<double>::unavailable(roof.reason);
  const RoofFigure& figure = run.one_cpu ? roof->one_cpu : roof->two_cpus;
  return Reading<double>::of(run.gib_per_s->median / figure.gib_per_s());
}

Limits measure_limits(const LimitsOptions& options, Interrupts& interrupts,
                      const LimitsProgress& progress) {
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

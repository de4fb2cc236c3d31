#include "engine/workload/percpu/memory_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/workload/percpu/memory_look.h"

namespace pipetop::percpu {
namespace {

// Rules between two looks: enough that each step takes several pages of each CPU.
constexpr uint32_t kStep = 2000;
constexpr uint32_t kSteps = 10;
constexpr uint32_t kMostToUseUp = 100'000;

constexpr const char* kCutShort = "a change came before it was known";

class Filler {
 public:
  explicit Filler(TcActions& actions) : actions_(actions) {}

  // Inserts a step's rules. Returns what is in use then.
  MemoryLook put_step(const RuleShape& shape) {
    for (uint32_t left = kStep; left > 0;) {
      const uint32_t batch = std::min(left, kMaxBatch);
      need_all(actions_.insert(shape, next_index_, batch), shape.kind);
      next_index_ += batch;
      left -= batch;
    }
    return *look_at_memory();
  }

  uint32_t rules() const { return next_index_ - 1; }

 private:
  TcActions& actions_;
  uint32_t next_index_ = 1;
};

// True once two steps in a row have taken new pages: none were left of the kept ones.
bool use_up_kept_pages(Filler& filler, ActionKind kind, const std::function<bool()>& go_on) {
  uint64_t before = look_at_memory()->percpu_bytes;
  for (int taken = 0; filler.rules() < kMostToUseUp && go_on();) {
    const uint64_t now = filler.put_step({.kind = kind, .no_percpu = false}).percpu_bytes;
    taken = now > before ? taken + 1 : 0;
    if (taken == 2) return true;
    before = now;
  }
  return false;
}

double grown(uint64_t before, uint64_t now) {
  return static_cast<double>(now) - static_cast<double>(before);
}

Reading<MemoryPerRule> fill(Filler& filler, const RuleShape& shape,
                            const std::function<bool()>& go_on) {
  std::vector<double> percpu, slab;
  MemoryLook before = *look_at_memory();
  while (percpu.size() < kSteps) {
    if (!go_on()) return Reading<MemoryPerRule>::warming(kCutShort);
    const MemoryLook now = filler.put_step(shape);
    percpu.push_back(grown(before.percpu_bytes, now.percpu_bytes));
    slab.push_back(grown(before.slab_bytes, now.slab_bytes));
    before = now;
  }
  const MemoryPerRule rule{.percpu_bytes = typical_step(percpu) / kStep,
                           .slab_bytes = typical_step(slab) / kStep};
  if (rule.percpu_bytes < 0 || rule.slab_bytes < 0)
    return Reading<MemoryPerRule>::unavailable(
        "others gave back more memory than the rules took; stop them, and begin again");
  return Reading<MemoryPerRule>::of(rule);
}

}  // namespace

double typical_step(std::span<const double> steps) {
  std::vector<double> sorted(steps.begin(), steps.end());
  std::ranges::sort(sorted);
  const size_t cut = sorted.size() / 4;
  const std::span middle = std::span(sorted).subspan(cut, sorted.size() - 2 * cut);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

Reading<MemoryPerRule> measure_memory_per_rule(TcActions& actions, const RuleShape& shape,
                                               const std::function<bool()>& go_on) {
  using Result = Reading<MemoryPerRule>;
  if (const auto look = look_at_memory(); !look.has_value())
    return Result::unavailable(look.reason);
  Filler filler(actions);
  Result result = Result::warming(kCutShort);
  if (use_up_kept_pages(filler, shape.kind, go_on))
    result = fill(filler, shape, go_on);
  else if (filler.rules() >= kMostToUseUp)
    result = Result::unavailable(fmt::format(
        "{} rules took none but pages that the kernel had kept; try again", filler.rules()));
  actions.flush(shape.kind);
  return result;
}

}  // namespace pipetop::percpu

#include "engine/workload/percpu/memory_probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/system_files.h"
#include "engine/meter/statistics.h"

namespace pipetop::percpu {
namespace {

// Rules per step: enough to take several pages of each CPU.
constexpr uint32_t kStep = 2000;
constexpr uint32_t kSteps = 10;
constexpr uint32_t kMostProbeRules = 300'000;
// Where each rule takes long, as many take minutes, and the other workers wait for it.
constexpr uint64_t kMostProbe_ns = 5 * kSecond;

double grown(uint64_t before, uint64_t now) {
  return static_cast<double>(now) - static_cast<double>(before);
}

// The memory that each step has taken.
struct Taken {
  std::vector<double> percpu, slab;  // bytes
};

class Filler {
 public:
  Filler(TcActions& actions, const RuleShape& shape, const std::function<bool()>& go_on)
      : actions_(actions), shape_(shape), go_on_(go_on) {}

  uint32_t rules() const { return next_index_ - 1; }
  bool at_its_end() const { return rules() >= kMostProbeRules || monotonic_ns() >= end_ns_; }
  bool may_go_on() const { return !at_its_end() && go_on_(); }

  // True once two consecutive steps have taken new pages: no cached pages were left.
  bool use_up_kept_pages() {
    for (int taken = 0; may_go_on();) {
      taken = takes_new_pages() ? taken + 1 : 0;
      if (taken == 2) return true;
    }
    return false;
  }

  // Nothing if pages were freed in between, and are cached now, or if other
  // programs took too much.
  std::optional<Taken> fill() {
    Taken taken;
    while (taken.percpu.size() < kSteps) {
      if (!may_go_on()) return std::nullopt;
      const KernelMemory before = now_;
      put_step(shape_);
      taken.percpu.push_back(grown(before.percpu_bytes, now_.percpu_bytes));
      taken.slab.push_back(grown(before.slab_bytes, now_.slab_bytes));
      if (taken.percpu.back() < 0) return std::nullopt;
    }
    // Or pages were freed while nobody allocates; only this shows it.
    const bool known = takes_new_pages() && is_steady(taken.percpu) && is_steady(taken.slab);
    return known ? std::optional(taken) : std::nullopt;
  }

 private:
  void put_step(const RuleShape& shape) {
    for (uint32_t left = kStep; left > 0;) {
      const uint32_t batch = std::min(left, kMaxBatch);
      need_all(actions_.insert(shape, next_index_, batch), shape.kind);
      next_index_ += batch;
      left -= batch;
    }
    now_ = *read_kernel_memory();
  }

  bool takes_new_pages() {
    const uint64_t before = now_.percpu_bytes;
    put_step({.kind = shape_.kind, .no_percpu = false});
    return now_.percpu_bytes > before;
  }

  TcActions& actions_;
  const RuleShape shape_;
  const std::function<bool()>& go_on_;
  KernelMemory now_ = *read_kernel_memory();
  uint32_t next_index_ = 1;
  const uint64_t end_ns_ = monotonic_ns() + kMostProbe_ns;
};

Reading<MemoryPerRule> fill_until_known(Filler& filler) {
  using Result = Reading<MemoryPerRule>;
  while (filler.use_up_kept_pages()) {
    const auto taken = filler.fill();
    if (!taken) continue;
    const MemoryPerRule rule{.percpu_bytes = typical_step(taken->percpu) / kStep,
                             .slab_bytes = typical_step(taken->slab) / kStep};
    // Every rule takes slab memory, unless others freed more of it.
    if (rule.slab_bytes > 0) return Result::of(rule);
  }
  if (!filler.at_its_end()) return Result::warming("the settings changed before it was measured");
  return Result::unavailable(
      fmt::format("memory use kept changing during {} rules; stop other programs", filler.rules()));
}

}  // namespace

Reading<KernelMemory> parse_kernel_memory(std::string_view meminfo) {
  const uint64_t percpu_kib = keyed_number(meminfo, "Percpu").value_or(0);
  const uint64_t slab_kib = keyed_number(meminfo, "SUnreclaim").value_or(0);
  if (percpu_kib == 0 || slab_kib == 0)
    return Reading<KernelMemory>::unavailable(
        "/proc/meminfo lacks Percpu or SUnreclaim; use Linux 5.0 or newer");
  return Reading<KernelMemory>::of(
      {.percpu_bytes = percpu_kib * 1024, .slab_bytes = slab_kib * 1024});
}

Reading<KernelMemory> read_kernel_memory() {
  return parse_kernel_memory(read_head("/proc/meminfo"));
}

bool is_steady(std::span<const double> steps) {
  const size_t half = steps.size() / 2;
  const double a = typical_step(steps.first(half)), b = typical_step(steps.subspan(half));
  return std::abs(a - b) <= std::max(a, b) / 8;
}

double typical_step(std::span<const double> steps) {
  std::vector<double> near(steps.begin(), steps.end());
  const double common = quantile(near, 0.25);
  std::erase_if(near, [&](double step) { return std::abs(step - common) > common / 2; });
  if (near.empty()) return common;
  return std::accumulate(near.begin(), near.end(), 0.0) / static_cast<double>(near.size());
}

Reading<MemoryPerRule> measure_memory_per_rule(TcActions& actions, const RuleShape& shape,
                                               const std::function<bool()>& go_on) {
  if (const auto memory = read_kernel_memory(); !memory.has_value())
    return Reading<MemoryPerRule>::unavailable(memory.reason);
  Filler filler(actions, shape, go_on);
  Reading<MemoryPerRule> memory = fill_until_known(filler);
  actions.flush(shape.kind);
  return memory;
}

}  // namespace pipetop::percpu

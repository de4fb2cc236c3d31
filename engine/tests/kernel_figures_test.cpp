// What each rung of the article's ladder does to this kernel, in figures that hardly depend on how
// fast it is: `./dev kernels --compare` shows those of several kernels side by side. Calls of busy
// loops count though they moved nothing.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/engine_fixture.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

constexpr uint64_t kSamples = 50;

class KernelFigures : public EngineTest {
 protected:
  void tell(const std::string& figure, const std::string& value) const {
    fmt::print("figure: {:<20}  {:<22}  {}\n", rung_, figure, value);
  }

  void tell_role(const WorkerReadings& before, const WorkerReadings& after,
                 double mib_per_s) const {
    const auto calls = after.counts.syscalls - before.counts.syscalls;
    ASSERT_GT(calls, 0u);
    const auto moved = double(after.counts.items - before.counts.items);
    tell(after.name + " bytes a call", fmt::format("{:.0f}", moved / double(calls)));
    tell(after.name + " wakeups a MiB", fmt::format("{:.1f}", *after.wakeups_per_s / mib_per_s));
    const std::vector<FunctionRow> rows = after.functions->rows();
    ASSERT_FALSE(rows.empty());
    tell(after.name + " is mostly in", std::string(rows.front().name));
  }

  void tell_ring(const RingReadings& ring) const {
    constexpr const char* kKinds[] = {"empty",      "copied",    "the writer's pages",
                                      "page cache", "zero page", "other"};
    const auto& kinds = *ring.kinds;
    const auto most = std::ranges::max_element(kinds) - kinds.begin();
    tell("slots hold", fmt::format("{} {:.0f} %", kKinds[most], 100 * kinds[size_t(most)]));
  }

  std::string rung_;
};

TEST_F(KernelFigures, OfEachRung) {
  if (!std::getenv("PIPETOP_FIGURES")) GTEST_SKIP() << "./dev kernels --compare prints them";
  for (const Preset& preset : article_presets()) {
    rung_ = preset.name;
    start(preset.settings, BpfUse::automatic);
    const Snapshot before = settle();
    PIPETOP_NEED(before.event);
    const auto is_sampled = [](const WorkerReadings& worker) {
      return worker.functions.has_value() && worker.functions->samples >= kSamples &&
             worker.wakeups_per_s.has_value();
    };
    const Snapshot after = until([&](const Snapshot& s) {
      return is_sampled(writer(s)) && is_sampled(reader(s)) && s.ring.kinds.has_value() &&
             s.throughput.current.rate.has_value();
    });
    const double mib_per_s = 1024 * after.throughput.current.rate->mean;
    tell_role(writer(before), writer(after), mib_per_s);
    tell_role(reader(before), reader(after), mib_per_s);
    tell_ring(after.ring);
  }
}

}  // namespace
}  // namespace pipetop

// The article's ladder on a real pipe, seen with every observer: what is said to explain each step.
// A virtual machine's wakeups, or a busy machine, may hide what a step saves, so several answers
// are right.
#include <algorithm>
#include <regex>

#include "engine/judge/change_rules.h"
#include "engine/judge/evidence.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/process/placement.h"
#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

class MeasuredChange : public EngineTest {
 protected:
  // So often that there are enough samples after two seconds.
  void start() {
    EngineOptions options;
    options.bpf = BpfUse::automatic;
    options.frequency_hz = 499;
    engine = std::make_unique<Engine>(options);
  }

  // As a speaker would: a look at each rung. Of few samples, as on a busy machine, only a long
  // segment is compared.
  void look() {
    const uint64_t begin_ns = settle().now_ns;
    until([&](const Snapshot& s) {
      const uint64_t passed_ns = s.now_ns - begin_ns;
      return passed_ns >= 12'000'000'000 || (passed_ns >= 2'000'000'000 && has_many_samples());
    });
  }

  bool has_many_samples() {
    const Segment segment = engine->segment();
    return std::ranges::all_of(kBothRoles, [&](Role role) {
      const Reading<FunctionTable>& functions = segment.role(role).functions;
      return functions.has_value() && functions->samples >= kEnoughSamples;
    });
  }

  Change climb(std::string_view to) {
    engine->apply(find_preset(article_presets(), to)->settings, std::string(to));
    return *until([](const Snapshot& s) {
              return s.change.has_value() && !s.change->cause.empty();
            }).change;
  }

  void expect(const Change& change, const std::string& words) {
    const std::regex right(words +
                           "|sleeps|for a CPU|within the noise|the rates vary|no single cause");
    EXPECT_TRUE(std::regex_search(change.words(), right))
        << change.factor << ": " << change.words();
    EXPECT_NEAR(change.factor, change.after / change.before, 1e-9);
    EXPECT_EQ(change.since_start > 0, climbed_++ > 0) << "the first one is from the start itself";
  }

  int climbed_ = 0;
};

TEST_F(MeasuredChange, TheLadder) {
  if (read_topology().size() < 2) GTEST_SKIP() << "needs two CPUs";
  start();
  PIPETOP_NEED(engine->tick().event);
  EXPECT_FALSE(engine->tick().change.has_value()) << "there is nothing to compare yet";
  look();
  expect(climb("vmsplice_read"), "lent|cop|rep_movs");
  look();
  expect(climb("vmsplice_splice"), "cop|rep_movs");
  look();
  expect(climb("vmsplice_splice_huge"), "512 pages|gup_");
  look();
  expect(climb("busy_loop_huge"), "both spin instead of sleeping|mutex|calls");
}

}  // namespace
}  // namespace pipetop

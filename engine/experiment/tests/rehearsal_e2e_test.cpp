// A rehearsal on real pipes; nothing is timed.
#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/config/config.h"
#include "engine/experiment/rehearsal.h"

namespace pipetop {
namespace {

RehearsalOptions talk_of(const std::string& scenes) {
  RehearsalOptions options;
  options.engine.bpf = BpfUse::off;
  options.scenes = parse_config("t", scenes).scenes;
  options.duration_ns = 50 * kMs;
  return options;
}

TEST(Rehearse, RunsEverySceneAndChangesTheWorkload) {
  const RehearsalOptions options = talk_of(
      "scenes:\n"
      "  - {title: a, expect: {rate: \"< 1000000\"}}\n"
      "  - {title: b, slow_motion: true, wait: key}\n"
      "  - {title: c, workload: page-cache, file_size: 1MiB}\n"
      "  - {title: d, preset: vmsplice_splice, expect: {ratio_to_previous: \"> 1000000\"}}\n"
      "  - {title: e, highlight: no_such_function}\n");
  std::vector<size_t> seen;
  Interrupts none{{}};
  const Rehearsal rehearsal = rehearse(options, none, [&](size_t scene, uint32_t) {
    if (seen.empty() || seen.back() != scene) seen.push_back(scene);
  });
  EXPECT_EQ(seen, (std::vector<size_t>{0, 1, 2, 3, 4}));
  ASSERT_EQ(rehearsal.scenes.size(), 5u);
  // In so short a time perhaps nothing arrives.
  EXPECT_TRUE(rehearsal.scenes[0].rate.has_value());
  EXPECT_TRUE(rehearsal.scenes[0].disappoints.empty());
  EXPECT_FALSE(rehearsal.scenes[1].rate.has_value());
  EXPECT_TRUE(rehearsal.scenes[2].rate.has_value());
  ASSERT_EQ(rehearsal.scenes[3].disappoints.size(), 1u);
  EXPECT_TRUE(rehearsal.scenes[3].disappoints[0].starts_with("ratio_to_previous "));
  // Other tests take the CPUs.
  ASSERT_FALSE(rehearsal.scenes[4].hazards.empty());
  EXPECT_NE(rehearsal.scenes[4].hazards.back().find("functions cannot be seen: "),
            std::string::npos);
  EXPECT_EQ(rehearsal.disappointing(), 1u);
}

TEST(Rehearse, KeepsOnlyCompleteScenes) {
  Interrupts interrupts{{}};
  const Rehearsal rehearsal = rehearse(talk_of("scenes: [{title: a}, {title: b}, {title: c}]\n"),
                                       interrupts, [&](size_t scene, uint32_t) {
                                         if (scene == 2) interrupts.end();
                                       });
  EXPECT_EQ(rehearsal.scenes.size(), 2u);
  EXPECT_EQ(rehearsal.planned, 3u);
}

}  // namespace
}  // namespace pipetop

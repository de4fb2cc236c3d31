#include <gtest/gtest.h>

#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/tests/typed.h"

namespace pipetop::tui {
namespace {

LadderOptions options_of(const std::string& text, const Config& config = default_config()) {
  return ladder_options(parse(text), config);
}

std::string ladder_error(const std::string& text) {
  return usage_error([&] { options_of(text); });
}

TEST(LadderStart, ByDefaultItIsTheArticles) {
  const LadderOptions options = options_of("ladder");
  ASSERT_EQ(options.rungs.size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(options.rungs[i].name, article_presets()[i].name);
    EXPECT_EQ(options.rungs[i].settings.pipe, article_presets()[i].settings.pipe);
    EXPECT_EQ(options.rungs[i].settings.observers, Observing::off);
    EXPECT_EQ(options.rungs[i].article_gib_per_s, article_presets()[i].article_gib_per_s);
  }
  EXPECT_EQ(options.rounds, 5u);
  EXPECT_EQ(options.length.duration_ns, 1'000'000'000u);
  EXPECT_EQ(options.length.bytes, 0u);
  EXPECT_EQ(options.engine.bpf, BpfUse::off);
}

TEST(LadderStart, ObserversRunIfAskedFor) {
  const LadderOptions on = options_of("ladder --observers on --rungs write_read");
  EXPECT_EQ(on.engine.bpf, BpfUse::automatic);
  EXPECT_EQ(on.rungs.front().settings, article_presets().front().settings);
  EXPECT_EQ(options_of("ladder --observers on --no-bpf").engine.bpf, BpfUse::off);
  EXPECT_EQ(options_of("ladder --observers off").engine.bpf, BpfUse::off);
}

TEST(LadderStart, RungsAreTakenInTheOrderGiven) {
  const LadderOptions options = options_of("ladder --rungs busy_loop_huge,write_read");
  ASSERT_EQ(options.rungs.size(), 2u);
  EXPECT_EQ(options.rungs[0].name, "busy_loop_huge");
  EXPECT_EQ(options.rungs[1].name, "write_read");
}

TEST(LadderStart, KnobsChangeEveryRung) {
  const std::string text = "--gift ladder --pipe_size 1MiB --pages thp";
  for (const Preset& rung : options_of(text).rungs) {
    EXPECT_TRUE(rung.settings.pipe.gift);
    EXPECT_EQ(rung.settings.pipe.pages, Pages::thp);
    EXPECT_EQ(rung.settings.pipe.pipe_size, 1u << 20);
  }
  EXPECT_EQ(knobs_typed(parse(text)), "--gift true --pipe_size 1MiB --pages thp");
  EXPECT_EQ(knobs_typed(parse("ladder")), "");
}

TEST(LadderStart, AFilesPresetsMayBeRungsToo) {
  Config config = default_config();
  Settings big;
  big.pipe.pipe_size = 1 << 20;
  config.presets.push_back({"big_ring", "a big ring", big, 0});
  // As a file does that replaces a rung: once with the same settings, once not.
  config.presets[0].article_gib_per_s = config.presets[6].article_gib_per_s = 0;
  config.presets[6].settings.pipe.gift = true;
  const LadderOptions options =
      options_of("ladder --rungs write_read,big_ring,busy_loop_huge", config);
  EXPECT_EQ(options.rungs[0].article_gib_per_s, 3.7);
  EXPECT_EQ(options.rungs[1].settings.pipe, big.pipe);
  EXPECT_EQ(options.rungs[2].article_gib_per_s, 0);
}

TEST(LadderStart, LengthsAndSeed) {
  const LadderOptions options =
      options_of("ladder --bytes 1GiB --warmup 0 --rounds 3 --seed 4294967295");
  EXPECT_EQ(options.length.bytes, 1u << 30);
  EXPECT_EQ(options.length.warmup_ns, 0u);
  EXPECT_EQ(options.rounds, 3u);
  EXPECT_EQ(options.seed, 4294967295u);
  EXPECT_NE(options_of("ladder").seed, options_of("ladder").seed);
  const CommandLine line = parse("ladder --csv a --json b --svg -");
  EXPECT_EQ(line.ladder.csv, "a");
  EXPECT_EQ(line.ladder.json, "b");
  EXPECT_EQ(line.ladder.svg, "-");
}

TEST(LadderStart, EachMistakeIsOneClearLine) {
  const Mistake cases[] = {
      {"ladder --rungs write_read,busy_lop_huge",
       "--rungs: there is no preset \"busy_lop_huge\": did you mean busy_loop_huge?"},
      {"ladder --rungs write_read,write_read", "--rungs: write_read is named twice"},
      {"ladder --preset write_read",
       "--preset does not work with ladder: use --rungs write_read,..."},
      {"ladder --folded f", "--folded is for the dashboard and pipetop present and run"},
      {"ladder --segments f", "--segments is for the dashboard and pipetop present and run"},
      {"ladder --rounds 0", "--rounds: \"0\" is out of range: give 1 to 1000"},
      {"ladder --seed -1", "--seed: \"-1\" is out of range: give 0 to 4294967295"},
      {"ladder --bytes 1G --duration 1s",
       "--duration and --bytes exclude each other: give one of them"},
      {"ladder --placement cpus", "placement cpus needs writer.cpu, reader.cpu or both"},
      {"ladder --csv", "--csv needs a value: see pipetop --help"},
      {"ladder --rung write_read", "there is no flag --rung: did you mean --rungs?"},
  };
  for (const Mistake& bad : cases) EXPECT_EQ(ladder_error(bad.text), bad.error) << bad.text;
}

}  // namespace
}  // namespace pipetop::tui

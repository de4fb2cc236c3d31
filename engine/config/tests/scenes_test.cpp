#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/config/config.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

std::vector<Scene> scenes_of(const std::string& text) { return parse_config("t", text).scenes; }

std::string error_of_talk(const std::string& text) {
  try {
    parse_config("t", text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Scenes, ReadsEveryKey) {
  const auto scenes = scenes_of(
      "scenes:\n"
      "  - title: Copying\n"
      "  - title: Lending pages\n"
      "    preset: vmsplice_read\n"
      "    writer: {wait: busy}\n"
      "    caption: |\n"
      "      nothing is copied\n"
      "      on this side.\n"
      "    notes: Ask who sees it.\n"
      "    view: functions\n"
      "    highlight: gup_fast_fallback\n"
      "    wait: 5s\n"
      "    expect: {rate: \"> 2\", ratio_to_previous: \">= 1.5\", ratio_to_first: \"<9\"}\n");
  ASSERT_EQ(scenes.size(), 2u);
  EXPECT_EQ(scenes[0].title, "Copying");
  EXPECT_EQ(scenes[0].settings, Settings{});
  EXPECT_EQ(scenes[0].view, ShowPart::ring);
  EXPECT_EQ(scenes[0].wait.what, SceneWait::For::settled);
  const Scene& s = scenes[1];
  EXPECT_EQ(s.preset, "vmsplice_read");
  Settings expected = article_presets()[2].settings;
  expected.pipe.writer_wait = Wait::busy;
  EXPECT_EQ(s.settings, expected);
  EXPECT_EQ(s.caption, "nothing is copied\non this side.");
  EXPECT_EQ(s.notes, "Ask who sees it.");
  EXPECT_EQ(s.view, ShowPart::functions);
  EXPECT_EQ(s.highlight, "gup_fast_fallback");
  EXPECT_EQ(s.wait.what, SceneWait::For::time);
  EXPECT_EQ(s.wait.ns, 5'000'000'000u);
  ASSERT_EQ(s.expect.size(), 3u);
  EXPECT_EQ(s.expect[0].of, Expectation::Of::ratio_to_previous);
  EXPECT_EQ(s.expect[0].is, Expectation::Is::at_least);
  EXPECT_EQ(s.expect[0].than, 1.5);
  EXPECT_EQ(s.expect[1].is, Expectation::Is::less);
  EXPECT_EQ(s.expect[2].of, Expectation::Of::rate);
  EXPECT_EQ(s.expect[2].is, Expectation::Is::more);
}

TEST(Scenes, StartFromTheFilesKnobsAndNotFromTheSceneBefore) {
  const auto scenes = scenes_of(
      "pipe_size: 1MiB\nobservers: off\n"
      "scenes:\n"
      "  - {title: a, gift: true}\n"
      "  - {title: b, write_with: vmsplice}\n"
      "  - {title: c, preset: vmsplice_splice}\n"
      "  - {title: d, workload: page-cache, clients: 2}\n");
  EXPECT_TRUE(scenes[0].settings.pipe.gift);
  EXPECT_EQ(scenes[0].settings.pipe.pipe_size, 1u << 20);
  EXPECT_FALSE(scenes[1].settings.pipe.gift);
  EXPECT_EQ(scenes[1].settings.pipe.pipe_size, 1u << 20);
  EXPECT_EQ(scenes[2].settings.pipe, article_presets()[4].settings.pipe);
  EXPECT_EQ(scenes[3].settings.workload, WorkloadKind::page_cache);
  EXPECT_EQ(scenes[3].settings.page_cache.clients, 2u);
  for (const Scene& scene : scenes) EXPECT_EQ(scene.settings.observers, Observing::off);
}

TEST(Scenes, PresetsAreThoseOfTheWorkload) {
  const auto scenes = scenes_of(
      "presets: [{name: mine, gift: true}]\n"
      "scenes:\n"
      "  - {title: a, preset: mine}\n"
      "  - {title: b, workload: percpu, preset: no_percpu}\n");
  EXPECT_TRUE(scenes[0].settings.pipe.gift);
  EXPECT_TRUE(scenes[1].settings.percpu.no_percpu);
}

TEST(Scenes, RatiosAreOfTheLastSceneWithSuchARate) {
  EXPECT_EQ(scenes_of("scenes:\n"
                      "  - {title: a}\n"
                      "  - {title: b, slow_motion: true}\n"
                      "  - {title: c, workload: page-cache}\n"
                      "  - {title: d, expect: {ratio_to_previous: \">= 1.5\"}}\n")
                .size(),
            4u);
}

TEST(Scenes, AFileWithoutThemHasNoTalk) {
  for (const char* text : {"", "scenes:\n", "scenes: []\n"}) EXPECT_TRUE(scenes_of(text).empty());
}

TEST(Scenes, CanWatchACommandOrATarget) {
  const Config config = parse_config("t", R"(
pipe_size: 128KiB
scenes:
  - {title: a, watch: --  seq 9 | wc, caption: b, notes: c, wait: 5s}
  - {title: b, watch: 4711:1}
  - {title: c, watch: /tmp/fifo}
)");
  ASSERT_EQ(config.scenes.size(), 3u);
  EXPECT_EQ(config.scenes[0].watch->command, "seq 9 | wc");
  EXPECT_EQ(config.scenes[0].watch->text(), "-- seq 9 | wc");
  EXPECT_EQ(config.scenes[0].caption, "b");
  EXPECT_EQ(config.scenes[0].wait.ns, 5'000'000'000u);
  EXPECT_EQ(config.scenes[0].settings, config.settings);
  EXPECT_EQ(config.scenes[1].watch->target, "4711:1");
  EXPECT_EQ(config.scenes[1].watch->command, "");
  EXPECT_EQ(config.scenes[2].watch->text(), "/tmp/fifo");
}

TEST(Scenes, EachMistakeIsOneClearLine) {
  struct {
    const char* text;
    const char* error;
  } const cases[] = {
      {"scenes: {title: a}\n", "t:1:9: scenes is a list of \"- title: ...\", not a map"},
      {"scenes: [a]\n", "t:1:10: a scene is a map of \"key: value\" lines, not a value"},
      {"scenes:\n  - caption: x\n", "t:2:5: a scene without a title: give it one"},
      {"scenes:\n  -\n", "t:3:1: a scene without a title: give it one"},
      {"scenes: [{title: \" \"}]\n", "t:1:18: title is empty: give it words"},
      {"scenes: [{title: [a]}]\n", "t:1:18: title is given a list: give a line of text"},
      {"scenes: [{title: \"a\\eb\"}]\n", "t:1:18: title: give one line of at most 120 bytes"},
      {"scenes: [{titel: a}]\n", "t:1:11: a scene has no key \"titel\": did you mean title?"},
      {"scenes: [{title: a, gifts: true}]\n",
       "t:1:21: a scene has no key \"gifts\": did you mean gift?"},
      {"scenes: [{title: a, clients: 2}]\n",
       "t:1:21: clients belongs to the page-cache workload, this is pipe: remove it, or set "
       "workload: page-cache"},
      {"scenes: [{title: a, quux: 2}]\n",
       "t:1:21: a scene has no key \"quux\": see pipetop help config-keys"},
      {"scenes: [{title: a, workload: cache}]\n",
       "t:1:31: workload: \"cache\" is not a valid value: give pipe, page-cache or percpu"},
      {"scenes: [{title: a, preset: two_clients_own}]\n",
       "t:1:29: preset: there is no preset \"two_clients_own\""},
      {"scenes: [{title: a, workload: page-cache, preset: one_clint}]\n",
       "t:1:51: preset: there is no preset \"one_clint\": did you mean one_client?"},
      {"scenes: [{title: a, view: rings}]\n",
       "t:1:27: view: \"rings\" is not a valid value: give ring, functions, tree, waiting, log, "
       "ladder or throughput"},
      {"scenes: [{title: a, highlight: two words}]\n",
       "t:1:32: highlight: \"two words\" is not a name: give a function's name, slots, verdict or "
       "rate"},
      {"scenes: [{title: a, wait: soon}]\n",
       "t:1:27: wait: \"soon\" is not how long a scene lasts: give settled, key, or a time such "
       "as 5s, at most 1h"},
      {"scenes: [{title: a, wait: 2h}]\n", "t:1:27: wait: \"2h\" is not how long a scene lasts"},
      {"scenes: [{title: a, wait: busy}]\n",
       "t:1:27: wait: \"busy\" is the knob, and here it is how long the scene lasts: give "
       "\"writer: {wait: busy}\" and the same for reader"},
      {"scenes: [{title: a, expect: 2}]\n",
       "t:1:29: expect is a map of \"key: value\" lines, not a value"},
      {"scenes: [{title: a, expect: {ratio: 2}}]\n", "t:1:30: expect has no key \"ratio\""},
      {"scenes: [{title: a, expect: {rate: 2}}]\n",
       "t:1:36: rate: \"2\" is not a comparison such as \">= 1.5 GiB/s\", in quotes"},
      {"scenes: [{title: a, expect: {rate: \"> fast\"}}]\n",
       "t:1:36: rate: \"> fast\" is not a comparison such as \">= 1.5 GiB/s\", in quotes"},
      {"scenes: [{title: a, expect: {rate: \"> -1\"}}]\n", "t:1:36: rate: \"> -1\" is not a"},
      {"scenes: [{title: a, expect: {rate: \"> nan\"}}]\n", "t:1:36: rate: \"> nan\" is not a"},
      {"scenes: [{title: a, expect: {rate: \">=\"}}]\n", "t:1:36: rate: \">=\" is not a"},
      {"scenes: [{title: a, expect: {ratio_to_previous: \"> 1\"}}]\n",
       "t:1:49: ratio_to_previous: no earlier scene has a rate in GiB/s to compare with: remove "
       "it"},
      {"scenes: [{title: a}, {title: b, workload: page-cache, expect: {ratio_to_first: \">1\"}}]\n",
       "t:1:80: ratio_to_first: no earlier scene has a rate in GiB/s to compare with: remove it"},
      {"scenes: [{title: a, slow_motion: true, expect: {rate: \"> 1\"}}]\n",
       "t:1:55: rate: a rate in slow motion means nothing: remove it"},
      {"scenes: [{title: a, slow_motion: true, expect: {verdict: lock-bound}}]\n",
       "t:1:58: verdict: a verdict in slow motion means nothing: remove it"},
      {"scenes: [{title: a, workload: percpu, expect: {verdict: lock-bound}}]\n",
       "t:1:57: verdict: workload percpu has none: remove it"},
      {"scenes: [{title: a, otherwise: sorry}]\n",
       "t:1:32: otherwise: it is for a scene that expects something: add expect"},
      {"scenes: [{title: a, expect: {verdict: lock}}]\n",
       "t:1:39: verdict: there is no \"lock\": give one of writer-bound, reader-bound, "
       "lock-bound, "},
      {"scenes: [{title: a, expect: {sees: \"two words\"}}]\n",
       "t:1:36: sees: \"two words\" is not a name: give a function's name"},
      {"scenes: [{title: a, expect: {rate: \">= 1 MB/s\"}}]\n",
       "t:1:36: rate: \">= 1 MB/s\" is not a comparison such as \">= 1.5 GiB/s\", in quotes"},
      {"scenes: [{title: a, planned: soon}]\n",
       "t:1:30: planned: \"soon\" is no time for a scene: give for example 90s, at most 1h"},
      {"scenes: [{title: a, caption: \"1\\n2\\n3\\n4\\n5\\n6\"}]\n",
       "t:1:30: caption: give at most 5 lines of at most 100 bytes"},
      {"scenes: [{title: a, caption: \"x\\tb\"}]\n",
       "t:1:30: caption: a tab or a carriage return: give blanks and line feeds"},
      {"scenes: [{title: a, notes: \"x\\e[2J\"}]\n",
       "t:1:28: notes: a control character (0x1b): remove it"},
      {"scenes: [{title: a, placement: near, writer: {cpu: 0}}]\n",
       "t:1:32: placement near and a CPU are both given: remove one of them"},
      {"scenes: [{title: a, watch: --}]\n",
       "t:1:28: watch: -- needs a command: give \"-- tar c . | zstd\""},
      {"scenes: [{title: a, watch: \"\"}]\n",
       "t:1:28: watch: \"\" is nothing to watch: give \"-- COMMAND\", a PID, PID:FD or the path of "
       "a "
       "FIFO"},
      {"scenes: [{title: a, watch: 12:x}]\n", "t:1:28: watch: \"12:x\" is nothing to watch"},
      {"scenes: [{title: a, watch: --once}]\n", "t:1:28: watch: \"--once\" is nothing to watch"},
      {"scenes: [{title: a, watch: [a]}]\n", "t:1:28: watch is given a list: give \"-- COMMAND\""},
      {"scenes: [{title: a, watch: \"-- a\\nb\"}]\n",
       "t:1:28: watch: a control character: give one line, or put it into a script"},
      {"scenes: [{title: a, watch: -- a, preset: write_read}]\n",
       "t:1:34: a scene that watches has no key \"preset\""},
      {"scenes: [{title: a, watch: 12, expect: {rate: \"> 1\"}}]\n",
       "t:1:32: a scene that watches has no key \"expect\""},
      {"scenes: [{title: a, watch: 12}, {title: b, expect: {ratio_to_first: \"> 1\"}}]\n",
       "t:1:69: ratio_to_first: no earlier scene has a rate in GiB/s to compare with: remove it"},
      {"scenes: [{title: a, buf_size: 6000}]\n", "t:1:31: buf_size: \"6000\" is out of range"},
  };
  for (const auto& bad : cases)
    EXPECT_TRUE(error_of_talk(bad.text).starts_with(bad.error))
        << bad.text << error_of_talk(bad.text) << "\n"
        << bad.error;
  std::string many = "scenes:\n";
  for (int i = 0; i < 100; ++i) many += "  - title: a\n";
  EXPECT_EQ(error_of_talk(many), "t:101:5: scene 100: a talk has at most 99");
}

TEST(Scenes, ExpectsNamesAndRatesWithAUnit) {
  const Config config = parse_config(
      "t",
      "scenes:\n"
      "  - {title: a, expect: {rate: \">= 1.5 GiB/s\", verdict: lock-bound, sees: pipe_write}}\n");
  const std::vector<Expectation>& expect = config.scenes[0].expect;
  ASSERT_EQ(expect.size(), 3u);
  EXPECT_EQ(expect[0].than, 1.5);
  EXPECT_EQ(expect[1].of, Expectation::Of::verdict);
  EXPECT_EQ(expect[1].name, "lock-bound");
  EXPECT_EQ(expect[2].of, Expectation::Of::sees);
  EXPECT_EQ(expect[2].name, "pipe_write");
}

// Whoever changes it must be able to give it.
TEST(Scenes, TheTalkOfTheArticleIsRight) {
  const Config talk = load_config(PIPETOP_CONFIGS "/talk.yaml");
  EXPECT_GE(talk.scenes.size(), 12u);
  std::set<WorkloadKind> kinds;
  for (const Scene& scene : talk.scenes) {
    kinds.insert(scene.settings.workload);
    EXPECT_FALSE(scene.caption.empty()) << scene.title;
    EXPECT_FALSE(scene.notes.empty()) << scene.title;
    EXPECT_GT(scene.planned_ns, 0u) << scene.title;
    EXPECT_LE(scene.title.size(), 40u) << scene.title;
    EXPECT_LE(std::ranges::count(scene.caption, '\n'), 2) << scene.title;
    for (size_t begin = 0, end = 0; end != scene.caption.npos; begin = end + 1) {
      end = scene.caption.find('\n', begin);
      EXPECT_LE(std::min(end, scene.caption.size()) - begin, 70u) << scene.title;
    }
  }
  EXPECT_EQ(kinds.size(), 3u);
}

}  // namespace
}  // namespace pipetop

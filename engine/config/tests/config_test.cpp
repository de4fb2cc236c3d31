#include "engine/config/config.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

namespace fs = std::filesystem;

class ConfigTest : public testing::Test {
 protected:
  Config load(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return load_config(path_);
  }

  // The message without the file's name.
  std::string error_of_file(const std::string& path) {
    try {
      load_config(path);
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::usage);
      EXPECT_TRUE(std::string(e.what()).starts_with(path + ":")) << e.what();
      return std::string(e.what()).substr(path.size() + 1);
    }
    return "no error";
  }
  std::string error_of(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return error_of_file(path_);
  }

  ScratchDirectory directory_;
  std::string path_ = directory_.file("c.yaml");
};

TEST_F(ConfigTest, DefaultsStartAtTheFirstRung) {
  const Config c = default_config();
  EXPECT_EQ(c.preset, "write_read");
  EXPECT_EQ(c.settings, Settings{});
  EXPECT_EQ(c.presets.size(), 8u);
}

TEST_F(ConfigTest, EmptyFilesAreTheDefaults) {
  for (const char* text : {"", "{}", "# nothing\n", "presets:\nscreen:\nobserve:\nwriter:\n"})
    EXPECT_EQ(load(text).settings, Settings{}) << text;
}

TEST_F(ConfigTest, TheDefaultYamlReadsBack) {
  for (const WorkloadEntry& entry : workloads()) {
    const Config c = load(default_config_yaml(entry.kind));
    const Config d = default_config(entry.kind);
    EXPECT_EQ(c.settings, d.settings);
    EXPECT_EQ(c.preset, d.preset);
    EXPECT_EQ(c.presets.size(), d.presets.size());
    EXPECT_EQ(c.frequency_hz, d.frequency_hz);
    EXPECT_EQ(c.frames_per_s, d.frames_per_s);
  }
}

// A user uncomments lines: each of them must be right as it stands.
TEST_F(ConfigTest, TheCommentedKnobsOfTheDefaultYamlAreRight) {
  std::string text = default_config_yaml();
  for (size_t at = 0; (at = text.find("\n# ", at)) != text.npos; ++at) {
    const size_t colon = text.find(": ", at);
    const std::string word = text.substr(at + 3, colon - at - 3);
    if (word.find(' ') == word.npos && colon < text.find('\n', at + 1)) text.erase(at + 1, 2);
  }
  Settings expected;
  expected.pipe.writer_cpu = 0;
  expected.pipe.reader_cpu = 1;
  expected.pipe.placement = Placement::cpus;
  const size_t placement = text.find("\nplacement");
  ASSERT_NE(placement, text.npos) << text;
  text.insert(placement + 1, "# ");
  EXPECT_EQ(load(text).settings, expected) << text;
}

TEST_F(ConfigTest, ReadsEveryKey) {
  const Config c = load(
      "workload: pipe\n"
      "preset: big_ring\n"
      "buf_size: 512KiB\n"
      "gift: true\n"
      "writer: {wait: busy}\n"
      "reader: {cpu: 1}\n"
      "presets:\n"
      "  - name: big_ring\n"
      "    title: A one-MiB ring\n"
      "    pipe_size: 1MiB\n"
      "observe: {frequency_hz: 4999, bpf: off}\n"
      "export:\n"
      "  most_series: 50\n"
      "  pipelines:\n"
      "    - {tools: \"tar|*|ssh\", name: backup}\n"
      "    - {tools: make*, keep: false}\n"
      "screen: {frames_per_s: 60, unicode: never, color: always, theme: high-contrast, show: "
      "true, "
      "summary: false}\n");
  Settings expected;
  expected.pipe.pipe_size = 1 << 20;
  expected.pipe.buf_size = 512 << 10;
  expected.pipe.gift = true;
  expected.pipe.writer_wait = Wait::busy;
  expected.pipe.reader_cpu = 1;
  expected.pipe.placement = Placement::cpus;
  EXPECT_EQ(c.settings, expected);
  EXPECT_EQ(c.preset, "big_ring");
  ASSERT_EQ(c.presets.size(), 9u);
  EXPECT_EQ(c.presets[8].title, "A one-MiB ring");
  EXPECT_EQ(c.frequency_hz, 4999u);
  EXPECT_EQ(c.bpf, BpfUse::off);
  EXPECT_EQ(c.frames_per_s, 60u);
  EXPECT_EQ(c.most_series, 50u);
  ASSERT_EQ(c.pipeline_rules.size(), 2u);
  EXPECT_EQ(c.pipeline_rules[0].tools, "tar|*|ssh");
  EXPECT_EQ(c.pipeline_rules[0].name, "backup");
  EXPECT_TRUE(c.pipeline_rules[0].keep);
  EXPECT_FALSE(c.pipeline_rules[1].keep);
  EXPECT_TRUE(c.show);
  EXPECT_FALSE(c.summary);
  EXPECT_EQ(c.unicode, Choice::never);
  EXPECT_EQ(c.color, Choice::always);
  EXPECT_EQ(c.theme, ThemeChoice::high_contrast);
}

TEST_F(ConfigTest, TheOrderOfLinesDoesNotMatter) {
  EXPECT_EQ(load("writer.wait: poll\nwait: busy\n").settings,
            load("wait: busy\nwriter: {wait: poll}\n").settings);
}

TEST_F(ConfigTest, APresetOfTheSameNameTakesItsPlace) {
  const Config c = load("presets: [{name: vmsplice_read, gift: true}]\n");
  ASSERT_EQ(c.presets.size(), 8u);
  EXPECT_EQ(c.presets[2].name, "vmsplice_read");
  EXPECT_TRUE(c.presets[2].settings.pipe.gift);
  EXPECT_EQ(c.presets[2].settings.pipe.write_with, WriteWith::write);
  EXPECT_EQ(c.presets[2].article_gib_per_s, 0);
}

TEST_F(ConfigTest, TheArticlesFileHoldsTheBuiltInLadder) {
  const Config c = load_config(PIPETOP_CONFIGS "/article.yaml");
  const auto built_in = article_presets();
  ASSERT_EQ(c.presets.size(), built_in_presets().size());
  for (size_t i = 0; i < built_in.size(); ++i) {
    EXPECT_EQ(c.presets[i].name, built_in[i].name);
    EXPECT_EQ(c.presets[i].title, built_in[i].title);
    EXPECT_EQ(c.presets[i].settings, built_in[i].settings) << built_in[i].name;
    EXPECT_EQ(c.presets[i].article_gib_per_s, built_in[i].article_gib_per_s);
  }
  EXPECT_EQ(c.settings, built_in[0].settings);
}

TEST_F(ConfigTest, AWorkloadSaysWhichKnobsThereAre) {
  const Config c = load("no_percpu: true\nworkload: percpu\n");
  EXPECT_EQ(c.settings.workload, WorkloadKind::percpu);
  EXPECT_TRUE(c.settings.percpu.no_percpu);
  for (const char* workload : {"pipe", "page-cache", "percpu"})
    EXPECT_EQ(load(fmt::format("workload: {}\nobservers: off\n", workload)).settings.observers,
              Observing::off);
  EXPECT_EQ(error_of("workload: percpu\ngift: true\n"),
            "2:1: gift belongs to the pipe workload, this is percpu: remove it, or set workload: "
            "pipe");
  EXPECT_EQ(error_of("workload: tee\n")
                .rfind("1:11: workload: \"tee\" is not a valid value: give pipe", 0),
            0u);
}

struct Bad {
  const char* text;
  const char* error;
};

TEST_F(ConfigTest, EachMistakeIsOneClearLine) {
  const Bad cases[] = {
      {"bufsize: 4K\n", "1:1: a config has no key \"bufsize\": did you mean buf_size?"},
      {"observe: {hz: 9}\n",
       "1:11: observe has no key \"hz\": it takes frequency_hz, bpf or bpf_counters"},
      {"export: {most_series: 0}\n",
       "1:23: most_series: \"0\" is not a whole number from 1 to 10000"},
      {"export: {pipelines: backup}\n",
       "1:21: pipelines is a list of \"- tools: ...\", not a value"},
      {"export: {pipelines: [{name: backup}]}\n",
       "1:22: a pipeline without tools: give a pattern for their names, as \"tar|*|ssh\""},
      {"export: {pipelines: [{tools: \"\"}]}\n", "1:30: tools: give 1 to 200 bytes"},
      {"export: {pipelines: [{tools: \"*\", name: a b}]}\n",
       "1:41: name: \"a b\" is not a valid name: give 1 to 40 letters, digits, _ or -"},
      {"writer: {cpus: 1}\n", "1:10: writer has no key \"cpus\": did you mean cpu?"},
      {"gift: true\nwait: busy\ngift: true\n",
       "3:1: \"gift\" is given twice, first on line 1: keep one"},
      {"writer: {cpu: 0}\nwriter.cpu: 1\n", "2:13: writer.cpu is given twice: keep one"},
      {"buf_size: 6000\n",
       "1:11: buf_size: \"6000\" is out of range: give a multiple of 4KiB, from 4KiB to 64MiB"},
      {"buf_size: [1]\n", "1:11: buf_size is given a list: give a size such as 256KiB"},
      {"buf_size:\n", "1:1: buf_size is given nothing: give a size such as 256KiB"},
      {"wait: bussy\n",
       "1:7: wait: \"bussy\" is not a valid value: give block, poll, busy, busy_poll or adaptive"},
      {"gift: maybe\n", "1:7: gift: \"maybe\" is neither true nor false"},
      {"gift: {}\n", "1:7: gift is given a map: give false or true"},
      {"writer: {cpu: -1}\n", "1:15: writer.cpu: \"-1\" is not a CPU: give its number, from 0"},
      {"writer: busy\n", "1:9: writer is a map of \"key: value\" lines, not a value"},
      {"placement: cpus\n", "1:12: placement cpus needs writer.cpu, reader.cpu or both"},
      {"placement: near\nwriter: {cpu: 0}\n",
       "1:12: placement near and a CPU are both given: remove one of them"},
      {"touch_pages: false\ncheck_huge_page: true\n",
       "2:18: check_huge_page needs touch_pages: untouched pages cannot be checked"},
      {"preset: vmsplice_slice\n",
       "1:9: preset: there is no preset \"vmsplice_slice\": did you mean vmsplice_splice?"},
      {"presets: {name: a}\n", "1:10: presets is a list of \"- name: ...\", not a map"},
      {"presets: [a]\n", "1:11: a preset is a map of \"key: value\" lines, not a value"},
      {"presets:\n  - title: x\n", "2:5: a preset without a name: give it one"},
      {"presets: [{name: a b}]\n",
       "1:18: name: \"a b\" is not a valid name: give 1 to 40 letters, digits, _ or -"},
      {"presets:\n  - name: a\n  - name: a\n",
       "3:5: a second preset named \"a\": give it another name"},
      {"presets:\n  - name: a\n    title: \"x\\ny\"\n",
       "3:12: title: give one line of at most 120 bytes"},
      {"presets:\n  - name: a\n    pages: huge\n",
       "3:12: pages: \"huge\" is not a valid value: give 4k, thp or hugetlb"},
      {"presets:\n  - name: a\n    observers: off\n",
       "3:16: observers: no preset changes it: give it outside of presets"},
      {"observers: maybe\n", "1:12: observers: \"maybe\" is not a valid value: give on or off"},
      {"observe: {frequency_hz: 9}\n",
       "1:25: frequency_hz: \"9\" is not auto or a whole number from 10 to 10000"},
      {"observe: {frequency_hz: 1e3}\n",
       "1:25: frequency_hz: \"1e3\" is not auto or a whole number from 10 to 10000"},
      {"observe: {bpf: on}\n", "1:16: bpf: \"on\" is not a valid value: give auto or off"},
      {"screen: {frames_per_s: 61}\n",
       "1:24: frames_per_s: \"61\" is not a whole number from 1 to 60"},
      {"screen: {theme: black}\n",
       "1:17: theme: \"black\" is not a valid value: give auto, dark, light or high-contrast"},
      {"screen: {color: yes}\n",
       "1:17: color: \"yes\" is not a valid value: give auto, always or never"},
      {"screen: {show: on}\n", "1:16: show: \"on\" is not a valid value: give false or true"},
      {"screen: {stage: on}\n", "1:17: stage: \"on\" is not a valid value: give false or true"},
      {"just words\n", "1:1: a config is a map of \"key: value\" lines, not a value"},
      {"- a\n", "1:1: a config is a map of \"key: value\" lines, not a list"},
      {"\"wait\\e[\": 1\n", "1:1: a config has no key \"wait?[\": did you mean wait?"},
  };
  for (const Bad& bad : cases) EXPECT_EQ(error_of(bad.text), bad.error) << bad.text;
}

TEST_F(ConfigTest, RefusesWhatIsNoSmallFile) {
  EXPECT_EQ(
      error_of_file(directory_.file("none.yaml")),
      "1:1: cannot be opened: No such file or directory: give a file that exists and is readable");
  EXPECT_EQ(error_of_file(directory_.path().string()), "1:1: is a directory: give a file");
  EXPECT_EQ(error_of_file("/dev/zero"), "1:1: is not a regular file: give one");
  const std::string fifo = directory_.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(error_of_file(fifo), "1:1: is not a regular file: give one");
  error_of("");
  ASSERT_EQ(truncate(path_.c_str(), 100 << 20), 0);
  EXPECT_EQ(error_of_file(path_), "1:1: has 104857600 bytes: a config has at most 1048576");
}

}  // namespace
}  // namespace pipetop

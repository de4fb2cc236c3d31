#include <gtest/gtest.h>

#include <fstream>

#include "engine/config/config.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/print/document.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

Settings winner() {
  Settings s = article_presets().back().settings;
  s.pipe.pipe_size = 512 * 1024;
  s.pipe.buf_size = 1 << 20;
  return s;
}

TuneReport example_report() {
  TuneReport report;
  TuneResult& r = report.result;
  r.reference = article_presets().back().settings;
  r.winner = Finalist{winner(), {84, 85, 83, 84, 86, 84, 84}};
  r.runner_up = Finalist{winner(), {82, 83, 82, 82, 84, 82, 82}};
  r.runner_up->settings.pipe.buffers = Buffers::same;
  r.reference_gib_per_s = {60, 61, 59, 60, 62, 60, 60};
  r.has_final = true;
  r.against_reference = {7, 1.4, 1.37, 1.43, 0.95, 0.9922};
  r.against_runner_up = {7, 1.024, 1.0, 1.05, 0.95, 0.97};
  r.effects = {{"wait", "block", -0.872, Reading<double>::of(0.02), 3},
               {"gift", "true", 0.004, Reading<double>::of(0.011), 4},
               {"pages", "4k", -0.3, Reading<double>::warming("too few trials"), 2}};
  r.candidates = 64;
  r.refused = 2;
  r.refusals = {"pages hugetlb: none free"};
  r.trials = 380;
  r.spent_ns = 59'900'000'000;
  report.reference_name = "busy_loop_huge";
  report.host.kernel = "6.18.44";
  report.host.cpu = "AMD EPYC";
  report.host.cpus = 2;
  report.host.hypervisor = "KVM";
  report.host.pipe_max_size = 1 << 20;
  report.steal_share = Reading<double>::of(0.003);
  report.budget_ns = 60'000'000'000;
  report.seed = 1;
  report.pipe_max_bytes = 1 << 20;
  return report;
}

TuneReport without_final() {
  TuneReport report = example_report();
  TuneResult& r = report.result;
  r.has_final = false;
  r.reference_gib_per_s.clear();
  r.against_runner_up = {};
  r.effects.clear();
  return report;
}

TEST(PrintTune, TellsWhatWasFoundAndHowSureItIs) {
  EXPECT_EQ(tune_document(example_report()).human,
            "write_with vmsplice, read_with splice, wait busy, pages thp, buf_size 1MiB, pipe_size "
            "512KiB\n  84.0 GiB/s   middle half 84.0 to 84.5, range 83.0 to 86.0, 7 trials of the "
            "final\n  1.40 times busy_loop_huge (60.0 GiB/s next to it): 95 % CI 1.37 to 1.43 in "
            "this state "
            "of the machine, 99.2 % confidence\n  1.024 times the runner-up (82.0 GiB/s): 97 % "
            "confidence\n    "
            "write_with vmsplice, read_with splice, wait busy, pages thp, buffers same, buf_size "
            "1MiB, pipe_size 512KiB\n\nsensitivity: the rate with another value of one knob, ± the "
            "95 % interval\n  wait        block        -87.2 % ± 2.0\n  gift        true         "
            " +0.4 % ± 1.1  not distinguishable\n  pages       4k           -30.0 %  (too few "
            "trials)\n\n64 candidates in 380 trials, 59.9 s of 1m; seed 1; the host stole 0.3 "
            "%\nnot available here: pages hugetlb: none free\n");
}

TEST(PrintTune, WhatIsNotSureIsNotSaidToBe) {
  TuneReport report = example_report();
  report.result.against_runner_up.confidence = 0.71;
  EXPECT_NE(tune_document(report).human.find("not distinguishable, 71 % confidence"),
            std::string::npos);
  report.result.against_runner_up.confidence = 0.99999;
  EXPECT_NE(tune_document(report).human.find("more than 99.9 % confidence"), std::string::npos);
  report.result.runner_up.reset();
  EXPECT_NE(tune_document(report).human.find("there is no runner-up"), std::string::npos);
}

TEST(PrintTune, WithoutAFinalNothingIsClaimed) {
  const std::string text = tune_document(without_final()).human;
  EXPECT_NE(text.find("in the trials that made it the leader: optimistic"), std::string::npos);
  EXPECT_NE(text.find("there was no final"), std::string::npos);
  EXPECT_NE(text.find("sensitivity unknown"), std::string::npos);
  EXPECT_EQ(text.find("confidence"), std::string::npos) << text;
  TuneReport nothing = without_final();
  nothing.result.winner.reset();
  EXPECT_NE(tune_document(nothing).human.find("no winner"), std::string::npos);
}

TEST(PrintTune, SaysWhatBecameOfTheLimit) {
  TuneReport report = example_report();
  report.pipe_max_bytes = 16 << 20;
  EXPECT_NE(tune_document(report).human.find("was raised from 1MiB to 16MiB"), std::string::npos);
  report = example_report();
  report.raise_refusal = "Permission denied";
  EXPECT_NE(tune_document(report).human.find("stayed 1MiB: Permission denied"), std::string::npos);
}

TEST(PrintTune, JsonHasAllOfIt) {
  const Json json = Json::parse(json_text(tune_document(example_report())));
  EXPECT_EQ(json["winner"]["settings"]["pipe_size"], 512 * 1024);
  EXPECT_EQ(json["winner"]["gib_per_s"]["median"], 84);
  EXPECT_EQ(json["winner"]["gib_per_s"]["trials"].size(), 7u);
  EXPECT_EQ(json["reference"]["name"], "busy_loop_huge");
  EXPECT_EQ(json["against_reference"]["ratio"], 1.4);
  EXPECT_EQ(json["against_reference"]["interval"], Json({1.37, 1.43}));
  EXPECT_EQ(json["against_runner_up"]["confidence"], 0.97);
  EXPECT_EQ(json["sensitivity"][0]["change_share"], -0.872);
  EXPECT_EQ(json["sensitivity"][1]["plus_minus_share"], 0.011);
  EXPECT_TRUE(json["sensitivity"][2]["two_standard_errors_share"].is_null());
  EXPECT_EQ(json["pipe_max_size"]["raised"], false);
  EXPECT_EQ(json["host"]["kernel"], "6.18.44");
  EXPECT_EQ(json["trustworthy"], true);
}

TEST(PrintTune, JsonSaysWhyThereIsNothing) {
  TuneReport report = without_final();
  Json json = Json::parse(json_text(tune_document(report)));
  EXPECT_TRUE(json["against_runner_up"].is_null());
  EXPECT_EQ(json["against_runner_up_reason"], "the search ended before the final");
  EXPECT_TRUE(json["reference"]["gib_per_s"].is_null());
  report.result.winner.reset();
  report.result.runner_up.reset();
  json = Json::parse(json_text(tune_document(report)));
  EXPECT_TRUE(json["winner"].is_null());
  EXPECT_FALSE(json["winner_reason"].get<std::string>().empty());
  EXPECT_EQ(json["trustworthy"], false);
}

TEST(PrintTune, TheHostsTheftAndTooFewHeatsAreJudged) {
  EXPECT_EQ(assess(example_report()).exit, Exit::ok);
  EXPECT_TRUE(assess(example_report()).warnings.empty());
  TuneReport report = example_report();
  report.steal_share = Reading<double>::of(0.06);
  EXPECT_EQ(assess(report).exit, Exit::untrustworthy);
  report = example_report();
  report.result.reference_gib_per_s.resize(3);
  EXPECT_EQ(assess(report).exit, Exit::ok);
  ASSERT_EQ(assess(report).warnings.size(), 1u);
  EXPECT_TRUE(assess(report).warnings[0].starts_with("low confidence"));
  report.result.winner.reset();
  EXPECT_EQ(assess(report).exit, Exit::untrustworthy);
}

TEST(PrintTune, NoiseIsADoubtOfATrustworthyResult) {
  TuneReport report = example_report();
  report.noise = "other programs use 1.5 of 2 CPUs";
  EXPECT_EQ(assess(report).exit, Exit::ok);
  EXPECT_EQ(assess(report).warnings.front(), "disturbed: " + report.noise);
  const Json json = Json::parse(json_text(tune_document(report)));
  EXPECT_EQ(json["noise"]["words"], report.noise);
  EXPECT_EQ(json["trustworthy"], true);
}

TEST(PrintTune, WithoutAWinnerItSaysWhetherTimeWasShort) {
  TuneReport report = without_final();
  report.result.winner.reset();
  report.result.candidates = 3;
  report.result.refused = 3;
  EXPECT_EQ(assess(report).warnings.front(), "no winner: give a longer --budget");
  report.result.refused = 4;
  report.result.refusals = {"pipe_size 1MiB: refused; try this"};
  EXPECT_EQ(assess(report).warnings.front(),
            "no winner: 4 settings were refused, such as pipe_size 1MiB: refused; try this");
}

struct TuneConfig : testing::Test {
  Config load(const TuneReport& report) {
    const std::string path = directory.file("tuned.yaml");
    std::ofstream(path) << tune_config_yaml(report);
    return load_config(path);
  }
  ScratchDirectory directory;
};

TEST_F(TuneConfig, StartsWithTheWinner) {
  const Config config = load(example_report());
  EXPECT_EQ(config.preset, kTunedPreset);
  EXPECT_EQ(config.settings, winner());
  EXPECT_NE(find_preset(config.presets, kTunedPreset), nullptr);
}

TEST_F(TuneConfig, ObserversAreNoPartOfIt) {
  TuneReport report = example_report();
  report.result.winner->settings.observers = Observing::off;
  EXPECT_EQ(load(report).settings, winner());
}

TEST_F(TuneConfig, EveryKnobComesBack) {
  // Each alone: some of them exclude each other.
  for (const Knob& k : workload(WorkloadKind::pipe).knobs()) {
    for (const std::string_view value : k.values) {
      if (value == "cpus" || k.name == "check_huge_page" || k.name == "single_step") continue;
      TuneReport report = example_report();
      report.result.winner->settings = {};
      k.set(report.result.winner->settings, value);
      EXPECT_EQ(load(report).settings, report.result.winner->settings) << k.name << " " << value;
    }
  }
  TuneReport report = example_report();
  report.result.winner->settings.pipe.placement = Placement::cpus;
  report.result.winner->settings.pipe.writer_cpu = 1;
  EXPECT_EQ(load(report).settings, report.result.winner->settings);
}

TEST_F(TuneConfig, SaysWhereAndHowItWasFound) {
  TuneReport report = example_report();
  std::string yaml = tune_config_yaml(report);
  for (const char* words : {"84.0 GiB/s, 1.40 times busy_loop_huge", "AMD EPYC, 2 CPUs, KVM",
                            "Linux 6.18.44", "tune --budget 1m --seed 1", "380 trials"})
    EXPECT_NE(yaml.find(words), std::string::npos) << yaml;
  EXPECT_EQ(yaml.find("It needs"), std::string::npos);
  report.pipe_max_bytes = 16 << 20;
  report.result.winner->settings.pipe.pipe_size = 4 << 20;
  yaml = tune_config_yaml(report);
  EXPECT_NE(yaml.find("# It needs: echo 4194304 > /proc/sys/fs/pipe-max-size"), std::string::npos);
  EXPECT_EQ(load(report).settings.pipe.pipe_size, 4u << 20);
}

TEST_F(TuneConfig, NoNameOfTheMachineEndsAComment) {
  TuneReport report = example_report();
  report.host.cpu = "odd\nwait: [";
  EXPECT_EQ(load(report).settings, winner());
}

}  // namespace
}  // namespace pipetop::tui

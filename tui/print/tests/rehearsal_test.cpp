#include "engine/experiment/rehearsal.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

Rehearsal example_rehearsal() {
  Rehearsal rehearsal;
  rehearsal.planned = 3;
  rehearsal.steal_share = Reading<double>::of(0.01);
  RehearsedScene first, second;
  first.scene.title = "Copying";
  first.rate = Reading<double>::of(1.08);
  first.taken_ns = 3'100'000'000;
  second.scene.title = "Lending pages";
  second.scene.expect = {{Expectation::Of::ratio_to_previous, Expectation::Is::at_least, 1.5}};
  second.rate = Reading<double>::of(1.4148);
  second.taken_ns = 2'600'000'000;
  second.hazards = {"highlight: f is not among the functions that were seen"};
  rehearsal.scenes = {first, second};
  judge(rehearsal.scenes);
  return rehearsal;
}

TEST(PrintRehearsal, SaysWhichSceneDisappointsAndWhy) {
  EXPECT_EQ(rehearsal_document(example_rehearsal()).human,
            "#  scene              rate         vs before  vs first      s\n"
            "1  Copying            1.08  GiB/s          ?         ?    3.1  ok\n"
            "2  Lending pages      1.41  GiB/s       1.31      1.31    2.6  fails\n"
            "     fails: ratio_to_previous 1.31, expected >= 1.5\n"
            "     note: highlight: f is not among the functions that were seen\n"
            "\n2 scenes in 6 s: 1 fails on this machine\n"
            "ended early: the talk has 3 scenes\n");
}

TEST(PrintRehearsal, JsonHasEveryScene) {
  const Json json = Json::parse(json_text(rehearsal_document(example_rehearsal())));
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["scenes"].size(), 2u);
  EXPECT_TRUE(json["scenes"][0]["ratio_to_first"].is_null());
  EXPECT_EQ(json["scenes"][0]["ok"], true);
  EXPECT_EQ(json["scenes"][1]["ratio_to_previous"], 1.31);
  EXPECT_EQ(json["scenes"][1]["expect"][0], "ratio_to_previous >= 1.5");
  EXPECT_EQ(json["scenes"][1]["disappoints"][0], "ratio_to_previous 1.31, expected >= 1.5");
}

TEST(PrintRehearsal, CsvHasARowForEachScene) {
  const std::string csv = csv_text(rehearsal_document(example_rehearsal()));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
  EXPECT_TRUE(csv.starts_with("scene,title,workload,rate,unit,")) << csv;
}

}  // namespace
}  // namespace pipetop::tui

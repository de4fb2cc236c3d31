// Results of version 0.2.0, which could not be compared yet, are read.
#include "tui/print/stored_result.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/base/error.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

std::string content_of(const std::string& name) {
  std::ifstream file(PIPETOP_RESULTS "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

StoredResult stored(const std::string& name) { return read_stored_result(name, content_of(name)); }

std::string refusal_of(const std::string& text) {
  try {
    read_stored_result("f", text);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(StoredResult, ALadderHasItsRounds) {
  const StoredResult ladder = stored("ladder.json");
  ASSERT_EQ(ladder.rungs.size(), 2u);
  EXPECT_EQ(ladder.rungs[0].name, "write_read");
  EXPECT_EQ(ladder.rungs[0].unit, "GiB/s");
  EXPECT_EQ(ladder.rungs[0].rounds.size(), 5u);
  EXPECT_EQ(ladder.rungs[1].settings.at("write_with"), "vmsplice");
  EXPECT_EQ(ladder.host.at("kernel").substr(0, 4), "6.18");
  EXPECT_FALSE(ladder.host.contains("psi")) << "it is of one moment";
}

TEST(StoredResult, ATableSaysTheSame) {
  const StoredResult table = stored("ladder.csv"), ladder = stored("ladder.json");
  ASSERT_EQ(table.rungs.size(), 2u);
  for (const StoredRung& rung : ladder.rungs) {
    const auto same = std::ranges::find(table.rungs, rung.name, &StoredRung::name);
    ASSERT_NE(same, table.rungs.end());
    ASSERT_EQ(same->rounds.size(), rung.rounds.size());
    for (const double rate : rung.rounds)
      EXPECT_TRUE(
          std::ranges::any_of(same->rounds, [&](double r) { return std::abs(r - rate) < 1e-5; }));
  }
}

TEST(StoredResult, TheStepsOfLimitsAreCosts) {
  const StoredResult limits = read_stored_result(
      "limits",
      R"({"host":{"steal_share":0.01,"governor":null},"syscall_ns":{"median":2,"values":[1,2,3]},
          "copies":[{"buffer_bytes":4096,"in_gib_per_s":{"median":5,"values":[4,5]}}],
          "pages":[{"name":"4k untouched","pages":"4k","ring_bytes":524288,
                    "vmsplice_ns_per_page":{"values":[7]},"get_ns_per_page":null}]})");
  ASSERT_EQ(limits.rungs.size(), 3u);
  EXPECT_EQ(limits.rungs[0].name, "syscall");
  EXPECT_EQ(limits.rungs[0].unit, "ns");
  EXPECT_EQ(limits.rungs[0].rounds, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(limits.rungs[1].name, "copies 4KiB in");
  EXPECT_EQ(limits.rungs[1].unit, "GiB/s");
  EXPECT_EQ(limits.rungs[2].name, "pages 4k untouched 512KiB vmsplice");
  EXPECT_EQ(limits.steal, 0.01);
  EXPECT_FALSE(limits.host.contains("governor")) << "it isn't known";
  EXPECT_NE(refusal_of(R"({"syscall_ns":{"median":2}})").find("without the figures"),
            std::string::npos);
}

TEST(StoredResult, ASummaryOfWatchHasItsPipes) {
  const std::string pipeline =
      R"({"stages":[{"name":"tar"},{"name":"zstd"}],"pipes":[
          {"bytes_per_s":1073741824,"writers":[{"stage":0,"active":true}],
           "readers":[{"stage":0,"active":false},{"stage":1,"active":true}]},
          {"bytes_per_s":null,"writers":[],"readers":[]}]})";
  const StoredResult one = read_stored_result("f", R"({"pipeline":)" + pipeline + "}");
  ASSERT_EQ(one.rungs.size(), 1u);
  EXPECT_EQ(one.rungs[0].name, "tar -> zstd");
  EXPECT_EQ(read_stored_result("f", pipeline).rungs[0].name, "tar -> zstd") << "of watch PID";
  EXPECT_EQ(one.rungs[0].rounds, std::vector<double>{1});
  const StoredResult two =
      read_stored_result("f", R"({"pipeline":{},"pipelines":[)" + pipeline + "," + pipeline + "]}");
  ASSERT_EQ(two.rungs.size(), 2u);
  EXPECT_EQ(two.rungs[1].name, "tar -> zstd 2");
}

TEST(StoredResult, OthersAreReadToo) {
  const StoredResult sweep = stored("sweep.json"), search = stored("tune.json"),
                     run = stored("run.json");
  ASSERT_EQ(sweep.rungs.size(), 2u);
  EXPECT_EQ(sweep.rungs[1].name, "write_with vmsplice");
  EXPECT_EQ(sweep.rungs[1].rounds.size(), 3u);
  EXPECT_FALSE(sweep.rungs[1].functions.empty());
  ASSERT_FALSE(search.rungs.empty());
  EXPECT_EQ(search.rungs[0].name, "winner");
  EXPECT_GE(search.rungs[0].rounds.size(), 5u);
  ASSERT_EQ(run.rungs.size(), 1u);
  EXPECT_EQ(run.rungs[0].rounds.size(), 1u);
  EXPECT_GT(*run.rungs[0].functions.at("writer gup_fast_fallback").ns, 0);
}

TEST(StoredResult, WhatIsNoneSaysWhatWouldBe) {
  EXPECT_EQ(refusal_of("nonsense"),
            "f: no result: give what run, ladder, tune, limits or watch have written with --format "
            "json, --json or --csv");
  EXPECT_EQ(refusal_of("{\"schema\": 1}"),
            "f: no result of run, ladder, tune, limits or watch, which have rates to compare");
  EXPECT_EQ(refusal_of("{\"rungs\": []}"), "f: a ladder without rates: nothing was measured");
  EXPECT_EQ(refusal_of("{\"rungs\": [{\"name\": 7}]}").substr(0, 20), "f: a damaged ladder:");
  EXPECT_EQ(refusal_of("name,round,gib_per_s\na,1\n"), "f:2: 2 fields, and 3 columns");
  EXPECT_EQ(refusal_of("name,round,gib_per_s\na,1,\n"), "f:2: no rate");
  const std::string whole = content_of("ladder.json");
  for (size_t end = 0; end < whole.size(); end += 97)
    EXPECT_NE(refusal_of(whole.substr(0, end)), "") << end;
}

TEST(PrintComparison, IsATableForPeopleAndForPrograms) {
  StoredResult after = stored("ladder.json");
  after.file = "new.json";
  for (double& rate : after.rungs[0].rounds) rate *= 2;
  after.rungs.pop_back();
  const std::array one = {compare_results(stored("ladder.json"), after)};
  const Document document = compare_document(one);
  EXPECT_NE(document.human.find("faster"), std::string::npos) << document.human;
  EXPECT_NE(document.human.find("only in ladder.json: vmsplice_read"), std::string::npos);
  EXPECT_EQ(document.rows.at(0).at("outcome"), "faster");
  const std::string svg = compare_svg(one[0]);
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n")) << svg;
  EXPECT_NE(svg.find("write_read: faster. "), std::string::npos) << "for screen readers";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(csv_text(document).substr(0, 15), "name,file,unit,");
}

}  // namespace
}  // namespace pipetop::tui

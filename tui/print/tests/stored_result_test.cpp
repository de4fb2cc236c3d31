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
  EXPECT_EQ(refusal_of("name,round,gib_per_s\na,1\n"), "f:2:3: 2 fields, and 3 columns");
  EXPECT_EQ(refusal_of("name,round,gib_per_s\na,1,2,3\n"), "f:2:7: 4 fields, and 3 columns");
  EXPECT_EQ(refusal_of("name,round,gib_per_s\na,1,\n"), "f:2:5: gib_per_s: \"\" is no rate");
  EXPECT_EQ(refusal_of("[1]"), refusal_of("nonsense"));
  EXPECT_EQ(refusal_of("{\"rungs\":\n [1,}").substr(0, 9), "f:2:5: no");
  const std::string whole = content_of("ladder.json");
  for (size_t end = 0; end < whole.size(); end += 97)
    EXPECT_NE(refusal_of(whole.substr(0, end)), "") << end;
}

// Three rounds of one rung, of which the second one is this fast.
std::string ladder_with(const std::string& rate) {
  std::string runs;
  for (const std::string& one : {std::string("1.5"), rate, std::string("2")})
    runs += (runs.empty() ? "" : ",") + std::string("{\"gib_per_s\":") + one + "}";
  return R"({"rungs":[{"name":"r","requested":{"pairs":1},"runs":[)" + runs + "]}]}";
}

TEST(StoredResult, ZeroIsARateAndWhatCannotBeIsDamage) {
  EXPECT_EQ(read_stored_result("f", ladder_with("0")).rungs[0].rounds,
            (std::vector<double>{1.5, 0, 2}));
  EXPECT_EQ(refusal_of(ladder_with("-1")),
            "f: a damaged ladder: r: round 2 is -1; a rate is 0 or more");
  EXPECT_EQ(refusal_of(ladder_with("null")),
            "f: a damaged ladder: r: round 2 is no number; a rate is 0 or more");
  EXPECT_EQ(refusal_of(ladder_with("NaN")).substr(0, 17), "f:1:86: no JSON: ");
  EXPECT_NE(refusal_of(ladder_with("1e999")).find("number overflow parsing '1e999'"),
            std::string::npos);
  for (const std::string rate : {"-1", "nan", "inf", "-inf", "1e999", "fast"})
    EXPECT_EQ(refusal_of("pairs,gib_per_s\n1,1.5\n1," + rate + "\n"),
              "f:3:3: gib_per_s: \"" + rate + "\" is no rate");
  // Differences of two costs; with the smaller one it cost nothing.
  EXPECT_EQ(read_stored_result("f", R"({"syscall_ns":{"values":[-1,2]}})").rungs[0].rounds,
            (std::vector<double>{0, 2}));
  EXPECT_NE(refusal_of(R"({"syscall_ns":{"values":[1,"x"]}})").find("syscall: round 2 is no num"),
            std::string::npos);
}

TEST(StoredResult, ATableIsAsRfc4180HasIt) {
  const auto first = [](const std::string& text) {
    return read_stored_result("f", text).rungs.at(0);
  };
  for (const std::string text :
       {"name,pairs,gib_per_s\na,1,2\n", "\xef\xbb\xbfname,pairs,gib_per_s\r\na,1,2\r\n",
        "\xef\xbb\xbf\"name\",\"pairs\",\"gib_per_s\"\n\"a\",\"1\",\"2\"",
        "\n\nname,pairs,gib_per_s\n\na,1,2"}) {
    const StoredRung rung = first(text);
    EXPECT_EQ(rung.name, "a") << text;
    EXPECT_EQ(rung.rounds, std::vector<double>{2}) << text;
    EXPECT_EQ(rung.settings.at("pairs"), "1") << text;
  }
  EXPECT_EQ(first("\"my\nnotes\",name,pairs,gib_per_s\n\"a,\n\"\"b\"\"\",c,1,2\n").name, "c");
  EXPECT_EQ(first("name,pairs,gib_per_s\n\"a,\r\n\"\"b\"\"\",1,2\n").name, "a,??\"b\"")
      << "on one line";
  // Lines and characters as an editor counts them.
  EXPECT_EQ(refusal_of("name,pairs,gib_per_s\n\"a\nb\",1,2\n\"ö\n\",1,x\n"),
            "f:5:5: gib_per_s: \"x\" is no rate");
  EXPECT_EQ(refusal_of("name,pairs,gib_per_s\na,1,2\n\"b,1,2\n"),
            "f:3:1: a quote that is never closed");
  EXPECT_EQ(refusal_of("name,pairs,gib_per_s\n\"a\"b,1,2\n"),
            "f:2:4: after a closing quote a comma or the end of the line is expected");
  EXPECT_EQ(refusal_of("name,pairs,gib_per_s\na\"b,1,2\n").substr(0, 15), "f:2:2: a quote ");
  EXPECT_EQ(refusal_of("name,a gib_per_s\n").substr(0, 30), "f:1:1: a table without a colum");
  EXPECT_EQ(read_stored_result("f", "\xef\xbb\xbf " + content_of("run.json")).kind, "run");
}

// Whoever walks it would need too much stack, memory or time.
TEST(StoredResult, HasNoMoreOfAnythingThanAResultHas) {
  const auto repeated = [](const std::string& text, size_t times) {
    std::string all;
    for (size_t i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_EQ(refusal_of("{\"syscall_ns\":" + repeated("[", 100'000)),
            "f:1:1015: nested deeper than 1000");
  EXPECT_EQ(refusal_of("{\"syscall_ns\":" + repeated("{\"a\":", 100'000)),
            "f:1:5013: nested deeper than 1000");
  EXPECT_EQ(refusal_of("{" + repeated("\"a\":1,", 2'000)).substr(0, 7), "f:1:600");
  EXPECT_NE(refusal_of("[" + repeated("1,", 4'000'000)).find("more than 4000000 values"),
            std::string::npos);
  EXPECT_EQ(refusal_of("gib_per_s,pairs\n" + repeated("1,1\n", 100'001)),
            "f: pairs 1: more than 100000 rounds");
  std::string many = "gib_per_s,pairs\n";
  for (int i = 0; i <= 2'000; ++i) many += "1," + std::to_string(i) + "\n";
  EXPECT_EQ(refusal_of(many), "f: more than 2000 rungs");
  EXPECT_EQ(refusal_of("gib_per_s" + std::string(2'000, ',')), "f:1:1010: more than 1000 fields");
  EXPECT_EQ(refusal_of(std::string(kMostResultBytes + 1, ' ')),
            "f: larger than 64MiB: no result of pipetop");
}

TEST(PrintComparison, ToZeroThereIsNoRatio) {
  const StoredResult some =
      read_stored_result("a", "pairs,gib_per_s\n" + std::string("1,2\n1,2\n1,2\n1,2\n1,2\n"));
  StoredResult none = some, half = some;
  none.rungs[0].rounds.assign(5, 0);
  half.rungs[0].rounds = {0, 0, 2, 2, 2};
  const auto human = [](const StoredResult& a, const StoredResult& b) {
    const std::array one = {compare_results(a, b)};
    const Document document = compare_document(one);
    for (const std::string& text :
         {document.human, compare_svg(one[0]), csv_text(document), json_text(document)})
      for (const char* bad : {"nan", " inf", "inf ", "inf\"", "-inf", ",inf"})
        EXPECT_EQ(text.find(bad), std::string::npos) << bad << ": " << text;
    return document.human;
  };
  EXPECT_NE(human(none, some).find("- [- .. -]  faster"), std::string::npos) << human(none, some);
  EXPECT_NE(human(none, some).find("\n-: there is no ratio to 0\n"), std::string::npos);
  EXPECT_NE(human(some, none).find("0.000 [0.000 .. 0.000]  slower"), std::string::npos)
      << human(some, none);
  EXPECT_NE(human(half, some).find("[1.000 .. -]"), std::string::npos) << human(half, some);
  EXPECT_NE(human(some, half).find("[0.000 .. 1.000]"), std::string::npos) << human(some, half);
  EXPECT_NE(human(none, none).find("same within 0.0 %"), std::string::npos);
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

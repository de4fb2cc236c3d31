#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tui/print/document.h"
#include "tui/print/tests/example.h"
#include "tui/print/tests/ladder_result.h"

namespace pipetop::tui {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> rows_of(const std::string& csv) {
  std::vector<Fields> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    Fields& row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
  }
  return rows;
}

TEST(LadderCsv, IsTheColumnsOfARunAndTheRound) {
  const std::string csv = csv_text(ladder_document(example_ladder(), GlyphSet::ascii));
  std::string header = csv_header(run_document(example_result()).columns);
  header.erase(header.rfind(",observers"));  // this and all after it are newer than the round
  EXPECT_TRUE(
      csv.starts_with("gibibytes_per_second,bytes_to_pipe,buf_size,pipe_size,busy_loop,poll,"
                      "huge_page,check_huge_page,write_with_vmsplice,read_with_splice,gift,"
                      "lock_memory,dont_touch_pages,same_buffer,name,"));
  EXPECT_TRUE(csv.starts_with(header + ",round,observers,plus_minus,noise\n"));
}

TEST(LadderCsv, HasARowARunAsTheyWereMeasured) {
  const std::vector<Fields> rows =
      rows_of(csv_text(ladder_document(example_ladder(), GlyphSet::ascii)));
  ASSERT_EQ(rows.size(), 7u);
  const Fields& names = rows[0];
  const auto column = [&](const char* name) {
    return size_t(std::ranges::find(names, name) - names.begin());
  };
  for (const Fields& row : rows) EXPECT_EQ(row.size(), names.size());
  const Fields& last = rows[6];
  EXPECT_EQ(last[0], "12.000000");
  EXPECT_EQ(last[column("name")], "vmsplice_read");
  EXPECT_EQ(last[column("write_with_vmsplice")], "1");
  EXPECT_EQ(last[column("bytes")], std::to_string(12ull << 30));
  EXPECT_EQ(last[column("bytes_to_pipe")], last[column("bytes")]);
  EXPECT_EQ(last[column("median")], "12.400000");
  EXPECT_EQ(rows[2][column("huge_page")], "1");
  for (size_t i = 1; i < rows.size(); ++i)
    EXPECT_EQ(rows[i][column("round")], i <= 3 ? "1" : "2") << i;
}

TEST(LadderCsv, KeepsTheBytesAskedFor) {
  LadderReport report = example_ladder();
  report.ladder.options.length.bytes = 77;
  EXPECT_EQ(rows_of(csv_text(ladder_document(report, GlyphSet::ascii)))[1][1], "77");
}

TEST(LadderHuman, IsATableAndWhatItIsWorth) {
  EXPECT_EQ(ladder_document(example_ladder(), GlyphSet::unicode).human,
            R"(2 rounds of 1s in shuffled order (seed 42), each run after a warm-up of 200ms
AMD EPYC, 2 CPUs, KVM, Linux 6.18.44

rung                       GiB/s     middle half                   vs first  article
write, read                 2.00     2.00 .. 2.00                      1.00      3.7  ████▊
write, read, huge pages     1.25     1.25 .. 1.25                      0.62        -  ███
vmsplice, read              10.0     9.00 .. 11.0                  4.90 [?]     12.7  ████████████████████████

monotone   no: write_read_huge fell below write_read by 37.5 % (0.62 [0.62 .. 0.62] times in 2 rounds)
drift      at most -6.7 % (round 1 relative to the median round)
steal      1.0 % of the time, 1.0 % in the worst run (write_read, round 1)
noise      6 of 6 runs were disturbed, the first: other programs use the CPUs: writer runnable 25 % (write_read, round 1)
trusted    yes
)");
}

TEST(LadderHuman, SaysWhatSpoilsIt) {
  const std::string text = ladder_document(spoilt_ladder(), GlyphSet::ascii).human;
  constexpr const char* kTrust =
      "trusted    no: the host stole more than 5 % of the time in 1 of 3 runs, 22.0 % in the worst "
      "(write_read, round 1)\n";
  for (const char* words :
       {"every rung with --pipe_size 4MiB\nended early, after 3 of 6 runs\n",
        "write, read, huge pages                           none of its runs was completed\n",
        "monotone   unknown: no round has two adjacent rungs\n",
        "drift      unknown: drift needs two complete rounds",
        "mismatch   vmsplice_read: pipe_size: 4MiB requested, 1MiB effective: too <large>\n",
        kTrust})
    EXPECT_NE(text.find(words), text.npos) << words << "\n" << text;
}

TEST(LadderHuman, AsciiIsAscii) {
  const std::string text = ladder_document(example_ladder(), GlyphSet::ascii).human;
  EXPECT_TRUE(std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; })) << text;
}

TEST(LadderJson, HoldsEverything) {
  const Json json = Json::parse(json_text(ladder_document(example_ladder(), GlyphSet::ascii)));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["host"]["kernel"], "6.18.44");
  EXPECT_EQ(json["host"]["steal_share"], 0.01);
  EXPECT_EQ(json["seed"], 42);
  EXPECT_EQ(json["rounds"], 2);
  EXPECT_EQ(json["complete"], true);
  ASSERT_EQ(json["rungs"].size(), 3u);
  const Json& top = json["rungs"][2];
  EXPECT_EQ(top["name"], "vmsplice_read");
  EXPECT_EQ(top["article_gib_per_s"], 12.7);
  EXPECT_EQ(top["gib_per_s"].dump(),
            R"({"median":10.0,"quartiles":[9.0,11.0],"min":8.0,"max":12.0,"samples":2})");
  EXPECT_EQ(top["times_first"]["median"], 5);
  EXPECT_EQ(top["times_first"]["mean"], 4.898979);
  EXPECT_EQ(top["times_first"]["interval"].size(), 2u);
  ASSERT_EQ(top["runs"].size(), 2u);
  EXPECT_EQ(top["runs"][1]["round"], 2);
  EXPECT_EQ(top["runs"][1]["place"], 6);
  EXPECT_EQ(top["runs"][1]["bytes"], 12ull << 30);
  EXPECT_EQ(top["runs"][1]["writer"]["context_switches"], 2000);
  EXPECT_EQ(top["runs"][1]["writer"]["on_cpu_share"], 0.5) << "of the whole run";
  EXPECT_EQ(top["runs"][1]["writer"]["runnable_share"], 0.25);
  EXPECT_EQ(top["requested"]["write_with"], "vmsplice");
  EXPECT_EQ(json["monotone"], false);
  EXPECT_EQ(json["falls"][0]["rung"], "write_read_huge");
  EXPECT_EQ(json["falls"][0]["below"], "write_read");
  EXPECT_EQ(json["falls"][0]["ratio"]["median"], 0.625);
  EXPECT_EQ(json["drift"]["rounds"].size(), 2u);
  EXPECT_EQ(json["steal"]["largest_share"], 0.01);
  EXPECT_EQ(json["trustworthy"], true);
  EXPECT_TRUE(json["reasons"].empty());
}

// An absent value has a reason, whatever the value is.
void expect_reasons(const Json& json) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    if (value.is_null()) {
      EXPECT_TRUE(json.contains(key + "_reason")) << key;
    }
    expect_reasons(value);
  }
}

TEST(LadderJson, SaysWhatSpoilsItAndWhyNothingIsKnown) {
  const Json json = Json::parse(json_text(ladder_document(spoilt_ladder(), GlyphSet::ascii)));
  expect_reasons(json);
  EXPECT_EQ(json["trustworthy"], false);
  EXPECT_EQ(json["reasons"].size(), 1u);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["ended_by_signal"], 2);
  EXPECT_EQ(json["knobs"], "--pipe_size 4MiB");
  EXPECT_TRUE(json["monotone"].is_null());
  EXPECT_TRUE(json["drift"].is_null());
  EXPECT_TRUE(json["rungs"][1]["gib_per_s"].is_null());
  EXPECT_EQ(json["rungs"][1]["article_gib_per_s_reason"], "the article prints none");
  EXPECT_EQ(json["rungs"][2]["mismatches"][0]["effective"], "1MiB");
}

}  // namespace
}  // namespace pipetop::tui

#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/result_files.h"

namespace pipetop::tui {
namespace {

Segment segment(uint32_t number) {
  Segment s;
  s.number = number;
  s.label = "change";
  s.begin_ns = (10 + number) * kSecond;
  return s;
}

// The engine started at 10 s.
Snapshot snapshot(const std::vector<uint32_t>& closed) {
  Snapshot s;
  s.now_ns = 60 * kSecond;
  s.uptime_ns = 50 * kSecond;
  for (const uint32_t number : closed)
    s.throughput.segments.push_back(std::make_shared<const Segment>(segment(number)));
  return s;
}

TEST(SegmentFile, WritesEachOnceAndAtOnce) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.jsonl");
  SegmentFile file(path);
  EXPECT_EQ(content_of(path), "");
  file.write_closed(snapshot({1, 2}));
  EXPECT_EQ(lines_of_file(path).size(), 2u);
  file.write_closed(snapshot({1, 2}));
  file.write_closed(snapshot({2, 3}));  // the log forgets
  file.write_last(segment(4));
  const auto lines = lines_of_file(path);
  ASSERT_EQ(lines.size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    const auto json = nlohmann::json::parse(lines[i]);
    EXPECT_EQ(json["number"], i + 1);
    EXPECT_EQ(json["begin_s"], i + 1);
  }
  EXPECT_NO_THROW(file.finish());
}

TEST(SegmentFile, ItsEndingChoosesTheFormat) {
  const ScratchDirectory scratch;
  SegmentFile csv(scratch.file("log.csv"));
  csv.write_closed(snapshot({1}));
  const auto rows = lines_of_file(scratch.file("log.csv"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].starts_with("number,label,key,begin_s,seconds,bytes,mean,")) << rows[0];
  EXPECT_TRUE(rows[1].starts_with("1,change,,1.000000,0.000000,0,,")) << rows[1];
  SegmentFile plain(scratch.file("log"));
  plain.write_closed(snapshot({1}));
  EXPECT_TRUE(lines_of_file(scratch.file("log")).at(0).starts_with("{"));
  for (const char* name : {"log.json", "log.cvs", "log.txt"}) {
    EXPECT_THROW(SegmentFile{scratch.file(name)}, Error) << name;
    EXPECT_FALSE(std::filesystem::exists(scratch.file(name)));
  }
}

TEST(SegmentFile, AnOldFileIsOverwritten) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("log.jsonl");
  std::ofstream(path) << "old\n";
  SegmentFile file(path);
  EXPECT_EQ(content_of(path), "old\n") << "nothing is measured yet";
  file.write_last(segment(1));
  EXPECT_EQ(lines_of_file(path).size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(content_of(path))["number"], 1);
}

TEST(SegmentFile, WithoutAFileNothingHappens) {
  SegmentFile none("");
  none.write_closed(snapshot({1}));
  none.write_last(segment(2));
  EXPECT_NO_THROW(none.finish());
}

TEST(SegmentFile, AFailureIsToldInTheEnd) {
  EXPECT_THROW(SegmentFile("/nonexistent/log.csv"), Error);
  EXPECT_THROW(SegmentFile("/tmp"), Error);
  SegmentFile full("/dev/full");
  EXPECT_NO_THROW(full.write_closed(snapshot({1})));
  EXPECT_NO_THROW(full.write_last(segment(2)));
  EXPECT_THROW(full.finish(), Error);
}

}  // namespace
}  // namespace pipetop::tui

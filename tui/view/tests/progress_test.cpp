#include "tui/view/progress.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "tui/draw/text.h"
#include "tui/view/waiting.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kMiB = 1 << 20;

Progress quarter() {
  Progress p;
  p.bytes = 256 * kMiB;
  p.size = 1024 * kMiB;
  p.elapsed_ns = 5 * kSecond;
  p.rate = 51.2 * double(kMiB);
  p.remaining_ns = 15 * kSecond;
  return p;
}

TEST(ProgressLine, LooksAsPvDoes) {
  EXPECT_EQ(progress_line(quarter(), 79, 1),
            " 256MiB 0:00:05 [51.2MiB/s] [=======>                        ]  25% ETA 0:00:15");
}

TEST(ProgressLine, EndsWithAFullBarAndNoEta) {
  Progress p = quarter();
  p.bytes = *p.size;
  p.ended = true;
  EXPECT_EQ(progress_line(p, 60, 1),
            "1.00GiB 0:00:05 [51.2MiB/s] [========================>] 100%");
}

TEST(ProgressLine, WithoutASizeSomethingMoves) {
  Progress p = quarter();
  p.size.reset();
  EXPECT_EQ(progress_line(p, 60, 0),
            " 256MiB 0:00:05 [51.2MiB/s] [<=>                           ]");
  EXPECT_EQ(progress_line(p, 60, 2),
            " 256MiB 0:00:05 [51.2MiB/s] [      <=>                     ]");
  for (uint64_t tick = 0; tick < 100; ++tick)
    EXPECT_EQ(columns_of(progress_line(p, 60, tick)), 60) << tick;
}

TEST(ProgressLine, ARemarkComesWhereThereIsRoom) {
  Progress p = quarter();
  p.remark = "waiting for gzip";
  EXPECT_EQ(progress_line(p, 100, 1),
            " 256MiB 0:00:05 [51.2MiB/s] [=======>                           ]  25% ETA 0:00:15  "
            "waiting for gzip");
  EXPECT_EQ(progress_line(p, 70, 1).find("waiting"), std::string::npos);
}

TEST(ProgressLine, FitsAnyWidth) {
  for (const bool sized : {true, false}) {
    for (int cols = 1; cols < 200; ++cols) {
      Progress p = quarter();
      p.name = "größe";
      p.remark = "blocked by ssh";
      if (!sized) p.size.reset();
      const std::string line = progress_line(p, cols, 1);
      EXPECT_LE(columns_of(line), cols) << line;
      EXPECT_TRUE(cols < 60 || columns_of(line) == cols) << line;
      EXPECT_TRUE(cols < 7 || line.find("256MiB") != line.npos) << line;
      EXPECT_TRUE(cols < 12 || !sized || line.find("25%") != line.npos) << line;
    }
  }
}

TEST(ProgressLine, ANarrowOneLosesTheLeastImportantFirst) {
  Progress p = quarter();
  p.name = "a";
  EXPECT_EQ(progress_line(p, 48, 1), "a:  256MiB 0:00:05 [51.2MiB/s]  25% ETA 0:00:15");
  EXPECT_EQ(progress_line(p, 40, 1), "a:  256MiB 0:00:05 [51.2MiB/s]  25%");
  EXPECT_EQ(progress_line(p, 30, 1), "a:  256MiB 0:00:05  25%");
  EXPECT_EQ(progress_line(p, 12, 1), " 256MiB  25%");
}

TEST(ProgressLine, NamesCannotCommandTheTerminal) {
  Progress p = quarter();
  p.name = "\x1b[2J\n";
  p.remark = "waiting for \x1b]0;x\x07";
  const std::string line = progress_line(p, 150, 1);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("waiting for ?]0;x?"), std::string::npos) << line;
}

TEST(ProgressLine, WhatIsNotKnownIsNotZero) {
  Progress p = quarter();
  p.rate.reset();
  p.remaining_ns.reset();
  const std::string line = progress_line(p, 100, 1);
  EXPECT_NE(line.find("[      ---]"), std::string::npos) << line;
  EXPECT_NE(line.find("ETA -:--:--"), std::string::npos) << line;
}

TEST(ProgressLine, AlmostEverythingIsNotEverything) {
  Progress p = quarter();
  p.bytes = *p.size - 1;
  EXPECT_EQ(progress_number(p), "99");
  p.bytes = 2 * *p.size;
  EXPECT_EQ(progress_number(p), "200") << "the size was wrong";
  EXPECT_EQ(columns_of(progress_line(p, 70, 1)), 70);
}

TEST(ProgressLine, OnlyThePartsThatAreAskedForAreShown) {
  Progress p = quarter();
  p.average = 1000;
  p.remark = "waiting for gzip";
  const auto line = [&](const ProgressParts& parts, int cols = 60) {
    p.parts = parts;
    return progress_line(p, cols, 1);
  };
  EXPECT_EQ(line({.timer = true, .bytes = true}), " 256MiB 0:00:05");
  EXPECT_EQ(line({.rate = true, .average = true}), "[51.2MiB/s] [0.98KiB/s]");
  EXPECT_EQ(line({.eta = true}), "ETA 0:00:15");
  EXPECT_EQ(line({.bar = true}, 20), "[==>          ]  25%");
  EXPECT_EQ(line({.rate = true}, 3), "");
}

TEST(ProgressNumber, HasTheTimeAndBytesIfTheyAreAskedFor) {
  Progress p = quarter();
  p.parts.timer = true;
  EXPECT_EQ(progress_number(p), "5.0000 25");
  p.parts.bytes = true;
  EXPECT_EQ(progress_number(p), "5.0000 " + std::to_string(256 * kMiB));
}

TEST(ProgressNumber, IsPercentOrBytes) {
  Progress p = quarter();
  EXPECT_EQ(progress_number(p), "25");
  p.size.reset();
  EXPECT_EQ(progress_number(p), std::to_string(256 * kMiB));
}

TEST(ShortBytes, HasThreeDigits) {
  EXPECT_EQ(short_bytes(0), "0B");
  EXPECT_EQ(short_bytes(999), "999B");
  EXPECT_EQ(short_bytes(1000), "0.98KiB");
  EXPECT_EQ(short_bytes(1536), "1.50KiB");
  EXPECT_EQ(short_bytes(245 * double(kMiB)), "245MiB");
  EXPECT_EQ(short_bytes(1023 * double(kMiB)), "1.00GiB");
  EXPECT_EQ(short_bytes(5e15), "4.44PiB");
  for (double bytes = 1; bytes < 1e17; bytes *= 1.01) EXPECT_LE(short_bytes(bytes).size(), 7u);
}

TEST(ClockText, CountsHoursAndThenDays) {
  EXPECT_EQ(clock_text(0), "0:00:00");
  EXPECT_EQ(clock_text(3'725 * kSecond), "1:02:05");
  EXPECT_EQ(clock_text(93'784 * kSecond), "1:02:03:04");
}

TEST(ByteRate, TellsTheLastRateAndTheAverage) {
  ByteRate rate(100 * kSecond);
  EXPECT_FALSE(rate.last());
  EXPECT_FALSE(rate.average());
  rate.add(101 * kSecond, 1'000);
  rate.add(102 * kSecond, 4'000);
  EXPECT_EQ(rate.last(), 3'000);
  EXPECT_EQ(rate.average(), 2'000);
  EXPECT_EQ(rate.elapsed_ns(), 2 * kSecond);
  EXPECT_EQ(rate.bytes(), 4'000u);
}

TEST(ByteRate, TheEtaFollowsTheLastHalfMinute) {
  ByteRate rate(0);
  EXPECT_FALSE(rate.remaining_ns(1));
  uint64_t bytes = 0;
  for (uint64_t s = 1; s <= 100; ++s) rate.add(s * kSecond, bytes += 1'000);
  EXPECT_EQ(rate.remaining_ns(200'000), 100 * kSecond);
  for (uint64_t s = 101; s <= 140; ++s) rate.add(s * kSecond, bytes += 10);
  EXPECT_EQ(rate.remaining_ns(bytes + 1'000), 100 * kSecond);
  EXPECT_EQ(rate.remaining_ns(bytes - 1), 0u);
}

TEST(ByteRate, NothingMovesNothingIsForetold) {
  ByteRate rate(0);
  for (uint64_t s = 1; s <= 100; ++s) rate.add(s * kSecond, 0);
  EXPECT_FALSE(rate.remaining_ns(1'000));
  EXPECT_EQ(rate.last(), 0);
}

TEST(ByteRate, TheTimeThatWeWereStoppedDoesntCount) {
  ByteRate rate(0);
  rate.add(kSecond, 1'000);
  rate.leave_out(3600 * kSecond);
  rate.add(3602 * kSecond, 2'000);
  EXPECT_EQ(rate.elapsed_ns(), 2 * kSecond);
  EXPECT_EQ(rate.last(), 1'000);
}

TEST(Waiting, NamesTheSideOfMostLooks) {
  Waiting waiting;
  EXPECT_EQ(waiting.side(), CopySide::none);
  for (int i = 0; i < 3; ++i) waiting.add(CopySide::in);
  EXPECT_EQ(waiting.side(), CopySide::none) << "too few to tell";
  waiting.add(CopySide::none);
  EXPECT_EQ(waiting.side(), CopySide::in);
  for (int i = 0; i < 5; ++i) waiting.add(CopySide::out);
  EXPECT_EQ(waiting.side(), CopySide::out);
  for (int i = 0; i < 5; ++i) waiting.add(CopySide::none);
  EXPECT_EQ(waiting.side(), CopySide::none);
}

TEST(Waiting, NamesTheNeighbour) {
  EXPECT_EQ(waiting_text(CopySide::in, "gzip", "ssh"), "waiting for gzip");
  EXPECT_EQ(waiting_text(CopySide::out, "gzip", "ssh"), "blocked by ssh");
  EXPECT_EQ(waiting_text(CopySide::out, "", ""), "blocked by stdout");
  EXPECT_EQ(waiting_text(CopySide::none, "gzip", "ssh"), "");
}

}  // namespace
}  // namespace pipetop::tui

#include "engine/meter/rate_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/base/clock.h"

namespace pipetop {
namespace {

constexpr uint64_t kGiBytes = 1ull << 30;

// A meter fed every 50 ms at a steady rate.
struct Feed {
  uint64_t now = 1'000 * kMs;
  uint64_t bytes = 0;
  RateMeter meter{now, double(kGiBytes)};
  Feed() { change("start"); }

  void run(uint64_t ms, uint64_t gib_per_s) {
    for (uint64_t passed = 0; passed < ms; passed += 50) {
      now += 50 * kMs;
      bytes += gib_per_s * kGiBytes / 20;
      meter.add(now, total());
    }
  }
  void change(const char* label) {
    meter.begin_segment(now, total(), label, "v", {});
    meter.settled(now);
  }
  Throughput view() { return meter.view(now, total()); }
  Progress total() const { return {bytes, now}; }
};

TEST(RateStats, OfKnownNumbers) {
  const std::vector<double> rates = {1, 2, 3, 4};
  const RateStats stats = rate_stats(rates, 2.5, rates);
  EXPECT_DOUBLE_EQ(stats.median, 2.5);
  EXPECT_DOUBLE_EQ(stats.min, 1);
  EXPECT_DOUBLE_EQ(stats.max, 4);
  EXPECT_NEAR(stats.stddev, 1.2909944, 1e-6);
  EXPECT_EQ(stats.samples, 4u);
  EXPECT_FALSE(stats.plus_minus) << "of so few nothing is known";
}

// More rates than it keeps, against those that are left, sorted anew.
TEST(RateWindow, KeepsTheNewestSorted) {
  std::minstd_rand random(5);
  RateWindow window(100, 1);
  std::deque<double> rates;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t count = random() % 20;
    window.add(10, {count, 1'000'000'000});
    rates.push_back(double(count));
    if (rates.size() > 10) rates.pop_front();
    std::vector<double> sorted(rates.begin(), rates.end());
    std::ranges::sort(sorted);
    const RateStats expected = rate_stats(sorted, 0, {}), stats = *window.stats("");
    ASSERT_EQ(stats.samples, sorted.size());
    ASSERT_DOUBLE_EQ(stats.median, expected.median);
    ASSERT_DOUBLE_EQ(stats.min, expected.min);
    ASSERT_DOUBLE_EQ(stats.max, expected.max);
    ASSERT_NEAR(stats.mean, std::reduce(sorted.begin(), sorted.end()) / double(sorted.size()),
                1e-9);
  }
  window.clear();
  EXPECT_FALSE(window.rate("").has_value());
}

TEST(RateMeter, KnowsNothingBeforeTheFirstInterval) {
  Feed feed;
  EXPECT_EQ(feed.view().over_100ms.status, ReadingStatus::warming);
  EXPECT_FALSE(feed.view().over_10s.has_value());
}

TEST(RateMeter, MeasuresASteadyRate) {
  Feed feed;
  feed.run(3000, 4);
  const Throughput view = feed.view();
  EXPECT_NEAR(*view.over_100ms, 4, 1e-6);
  EXPECT_NEAR(*view.over_1s, 4, 1e-6);
  EXPECT_NEAR(view.over_10s->mean, 4, 1e-6);
  EXPECT_NEAR(view.over_10s->stddev, 0, 1e-6);
  EXPECT_EQ(view.history.size(), 30u);
  EXPECT_EQ(view.total_items, feed.bytes);
}

TEST(RateMeter, ASegmentLeavesOutWhatCameBeforeIt) {
  Feed feed;
  feed.run(2000, 2);
  feed.change("write_with vmsplice");
  const uint64_t before = feed.bytes;
  EXPECT_EQ(feed.view().current.rate.status, ReadingStatus::warming);
  feed.run(2000, 8);
  const Throughput view = feed.view();
  EXPECT_EQ(view.current.label, "write_with vmsplice");
  EXPECT_NEAR(view.current.rate->mean, 8, 1e-6);
  EXPECT_EQ(view.current.rate->samples, 18u);  // 200 ms settle
  EXPECT_EQ(view.current.items, feed.bytes - before);
  EXPECT_EQ(view.current.duration_ns, 2000 * kMs);
  EXPECT_EQ(view.current.number, 2u);
  EXPECT_NEAR(view.over_10s->min, 8, 1e-6);
  ASSERT_EQ(view.marks.size(), 1u);
  EXPECT_EQ(view.marks[0].key, "v");
}

TEST(RateMeter, RatesCountOnceTheChangeIsInForce) {
  Feed feed;
  feed.run(1000, 2);
  feed.meter.begin_segment(feed.now, feed.total(), "pages hugetlb", "h", {});
  feed.run(1000, 1);  // it takes that long
  EXPECT_EQ(feed.view().current.rate.status, ReadingStatus::warming);
  EXPECT_EQ(feed.view().over_10s.status, ReadingStatus::warming);
  feed.meter.settled(feed.now);
  feed.run(1000, 8);
  EXPECT_NEAR(feed.view().current.rate->min, 8, 1e-6);
  EXPECT_EQ(feed.view().current.rate->samples, 8u);
  EXPECT_NEAR(feed.view().over_10s->min, 8, 1e-6);
  EXPECT_EQ(feed.view().current.duration_ns, 2000 * kMs);
}

// Begun between two intervals, and as short as three of them.
TEST(RateMeter, RatesMayCountFromTheBeginOfTheSegment) {
  Feed feed;
  feed.run(1050, 2);
  feed.meter.begin_segment(feed.now, feed.total(), "measure", "", {});
  feed.meter.count_at_once(feed.now, feed.total());
  feed.run(300, 8);
  const Segment segment = feed.view().current;
  ASSERT_TRUE(segment.rate.has_value()) << segment.rate.reason;
  EXPECT_EQ(segment.rate->samples, 3u);
  EXPECT_NEAR(segment.rate->median, 8, 1e-6);
  EXPECT_NEAR(segment.rate->mean, 8, 1e-6);
}

TEST(RateMeter, AnIntervalMayBeSlightlyShort) {
  Feed feed;
  for (int i = 0; i < 20; ++i) {
    feed.now += (i % 2 == 0 ? 104 : 96) * kMs;  // a late tick, and the next one in time
    feed.meter.add(feed.now, feed.total());
  }
  EXPECT_EQ(feed.view().history.size(), 20u);
}

TEST(RateMeter, SkippedTimeIsNoRate) {
  Feed feed;
  feed.run(1000, 4);
  const uint64_t from = feed.now;
  feed.now += 60'000 * kMs;
  feed.meter.skip(from, feed.now, feed.total());
  feed.run(500, 4);
  EXPECT_EQ(feed.view().current.duration_ns, 1500 * kMs);
  EXPECT_NEAR(*feed.view().over_1s, 4, 1e-6);
  EXPECT_NEAR(feed.view().over_10s->min, 4, 1e-6);
}

// A workload that counts for 60 of every 200 ms, at 5 a second of its own clock.
TEST(RateMeter, ARateIsOfTheClockThatCounts) {
  uint64_t now = 1'000 * kMs;
  Progress total;
  RateMeter meter(now, 1);
  meter.begin_segment(now, total, "start", {}, {});
  meter.settled(now);
  for (int turn = 0; turn < 20; ++turn) {
    for (int step = 0; step < 10; ++step) {
      now += 20 * kMs;
      if (step < 3) total.clock_ns += 20 * kMs;
      total.items = total.clock_ns / (200 * kMs);
      meter.add(now, total);
    }
  }
  const Throughput view = meter.view(now, total);
  EXPECT_NEAR(view.current.rate->mean, 5, 0.5);
  EXPECT_GT(view.current.rate->samples, 10u);
}

TEST(RateMeter, AClockThatStandsStillIsARateOfNothing) {
  uint64_t now = 1'000 * kMs;
  RateMeter meter(now, 1);
  for (const uint64_t begin = now; now < begin + 6'000 * kMs; now += 50 * kMs) meter.add(now, {});
  EXPECT_DOUBLE_EQ(*meter.view(now, {}).over_1s, 0.0);
}

// What is kept is bounded; what is said is of the whole day, not of its last minutes.
TEST(RateMeter, ASegmentOfADayCountsAllOfIt) {
  constexpr uint64_t kHalf = 12 * 3600 * 10;  // intervals
  Feed feed;
  feed.run(300, 4);  // it settles
  for (uint64_t i = 0; i < 2 * kHalf; ++i) {
    feed.now += 100 * kMs;
    feed.bytes += (i < kHalf ? 4 : 8) * kGiBytes / 10;
    feed.meter.add(feed.now, feed.total());
  }
  const Throughput view = feed.view();
  const RateStats& rate = *view.current.rate;
  EXPECT_NEAR(rate.mean, 6, 1e-4);
  EXPECT_NEAR(rate.min, 4, 1e-6);
  EXPECT_NEAR(rate.max, 8, 1e-6);
  EXPECT_NEAR(rate.stddev, 2, 0.01);
  EXPECT_GE(rate.samples, 3100u);
  EXPECT_LE(rate.samples, 6200u);
  EXPECT_EQ(view.current.items, feed.bytes);
  EXPECT_EQ(view.current.duration_ns, 24 * 3600 * kSecond + 300 * kMs);
  EXPECT_NEAR(view.over_10s->mean, 8, 1e-6);
  EXPECT_LE(view.history.size(), 3110u);
}

TEST(RateMeter, HistoryIsBounded) {
  Feed feed;
  feed.run(400'000, 1);
  EXPECT_GE(feed.view().history.size(), 3000u);
  EXPECT_LE(feed.view().history.size(), 3110u);
}

using When = PriceMeter::When;

class FedPipe {
 public:
  // Moves items for a while, which the meter has been told of.
  void flow(uint64_t ms, uint64_t items_per_ms, When next) {
    total_ = total_ + Progress{ms * items_per_ms, ms * kMs};
    meter.add(total_, next);
  }
  // A second with a slice in it; the rates of the two.
  void second(uint64_t in_slice, uint64_t between) {
    flow(400, between, When::observed);
    flow(100, in_slice, When::unobserved);
    flow(500, between, When::unobserved);
  }
  const Progress& total() const { return total_; }

  PriceMeter meter;

 private:
  Progress total_{12'345, 678 * kMs};
};

TEST(PriceMeter, TheShareThatIsLostOverAll) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 6; ++i) pipe.second(80, 100);
  ASSERT_TRUE(pipe.meter.price().has_value()) << pipe.meter.price().reason;
  EXPECT_NEAR(pipe.meter.price()->share, 0.02, 1e-9);
  EXPECT_DOUBLE_EQ(*pipe.meter.between_ticks(1000), 100);
}

TEST(PriceMeter, ItCanBeNegative) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 6; ++i) pipe.second(120, 100);
  EXPECT_NEAR(pipe.meter.price()->share, -0.02, 1e-9);
}

TEST(PriceMeter, IsUnknownUntilThereWereSomeSlices) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(pipe.meter.price().has_value());
    EXPECT_FALSE(pipe.meter.between_ticks(1).has_value());
    pipe.second(80, 100);
  }
  EXPECT_TRUE(pipe.meter.price().has_value());
  pipe.meter.clear();
  EXPECT_FALSE(pipe.meter.price().has_value());
}

TEST(PriceMeter, ThatNothingMovesSaysNothing) {
  FedPipe pipe;
  pipe.flow(0, 0, When::unobserved);
  for (int i = 0; i < 6; ++i) pipe.second(0, 0);
  EXPECT_FALSE(pipe.meter.price().has_value());
}

TEST(PriceMeter, TimeThatIsNeitherDoesNotCount) {
  FedPipe pipe;
  pipe.flow(1000, 7, When::unobserved);
  for (int i = 0; i < 6; ++i) pipe.second(80, 100);
  pipe.flow(100, 100, When::neither);
  pipe.flow(3000, 1, When::unobserved);
  const double price = pipe.meter.price()->share;
  pipe.meter.skip(pipe.total() + Progress{5'000'000, 1 * kMs});
  EXPECT_DOUBLE_EQ(*pipe.meter.between_ticks(1000), 100);
  EXPECT_DOUBLE_EQ(pipe.meter.price()->share, price);
}

Segment segment(uint32_t number) {
  Segment s;
  s.number = number;
  s.items = 1000 + number;
  FunctionTable table;
  table.samples = 10;
  auto tree = std::make_shared<CallTree>();
  tree->nodes = {{Function("pipe_write"), CallNode::kNone, 10, 10}};
  table.tree = tree;
  for (SegmentRole& role : s.roles) role.functions = Reading<FunctionTable>::of(table);
  return s;
}

Throughput view_of(const SegmentLog& log) {
  Throughput view;
  log.describe(view);
  return view;
}

const Reading<FunctionTable>& functions_of(const Throughput& view, size_t back) {
  return view.segments[view.segments.size() - 1 - back]->role(Role::reader).functions;
}

TEST(SegmentLog, KnowsNothingAtFirst) {
  const Throughput view = view_of(SegmentLog());
  EXPECT_FALSE(view.previous);
  EXPECT_TRUE(view.segments.empty());
}

TEST(SegmentLog, KeepsTheOldestFirst) {
  SegmentLog log;
  for (const uint32_t number : {1, 2, 3}) log.add(segment(number));
  const Throughput view = view_of(log);
  ASSERT_EQ(view.segments.size(), 3u);
  EXPECT_EQ(view.segments[0]->number, 1u);
  EXPECT_EQ(view.previous->number, 3u);
  EXPECT_EQ(view.previous, view.segments[2]);
  EXPECT_TRUE(functions_of(view, 0)->tree->paths);
}

TEST(SegmentLog, IsBounded) {
  SegmentLog log;
  const uint32_t count = SegmentLog::kKept + 50;
  for (uint32_t number = 1; number <= count; ++number) log.add(segment(number));
  const Throughput view = view_of(log);
  ASSERT_EQ(view.segments.size(), SegmentLog::kKept);
  EXPECT_EQ(view.segments.front()->number, 51u);
  EXPECT_EQ(view.segments.front()->items, 1051u);
  EXPECT_EQ(view.previous->number, count);
}

TEST(SegmentLog, OldOnesLoseTheirTreesThenTheirTables) {
  SegmentLog log;
  for (uint32_t number = 1; number <= 100; ++number) log.add(segment(number));
  const Throughput view = view_of(log);
  EXPECT_TRUE(functions_of(view, SegmentLog::kWithTrees - 1)->tree->paths);
  EXPECT_FALSE(functions_of(view, SegmentLog::kWithTrees)->tree->paths);
  EXPECT_EQ(functions_of(view, SegmentLog::kWithFunctions - 1)->rows().size(), 1u);
  EXPECT_EQ(functions_of(view, SegmentLog::kWithFunctions).status, ReadingStatus::unavailable);
  EXPECT_NE(functions_of(view, 99).reason, "");
}

// A screen may compare with a segment for as long as it likes.
TEST(SegmentLog, WhoeverHoldsASegmentHasAllOfIt) {
  SegmentLog log;
  log.add(segment(1));
  const auto held = view_of(log).previous;
  for (uint32_t number = 2; number <= 100; ++number) log.add(segment(number));
  EXPECT_TRUE(held->role(Role::writer).functions->tree->paths);
}

}  // namespace

}  // namespace pipetop

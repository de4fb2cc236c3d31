#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "engine/observe/sched_reader.h"

namespace pipetop::observe {
namespace {

const Symbols kSleepSymbols =
    Symbols::parse(std::istringstream("ffffffff81000000 T entry\n"
                                      "ffffffff81000100 T pipe_read\n"
                                      "ffffffff81000200 T mutex_lock\n"
                                      "ffffffff81000300 T schedule_timeout\n"
                                      "ffffffff81000400 T schedule\n"
                                      "ffffffff81000500 T __schedule.constprop.0\n"
                                      "ffffffff81000600 T __traceiter_sched_switch\n"
                                      "ffffffff81000700 T bpf_trace_run4\n"
                                      "ffffffff81000800 t pipe_read\n"));

constexpr uint64_t in(uint64_t function) { return 0xffffffff81000010 + function * 0x100; }
enum : uint64_t {
  kEntry,
  kRead,
  kMutex,
  kTimeout,
  kSchedule,
  kInner,
  kTracepoint,
  kBpf,
  kOtherRead
};

using Addresses = std::vector<uint64_t>;
const std::array<Addresses, 4> kStacks = {
    Addresses{in(kBpf), in(kTracepoint), in(kInner), in(kSchedule), in(kRead), in(kEntry)},
    Addresses{in(kInner), in(kSchedule), in(kRead), in(kEntry)},
    Addresses{in(kBpf), in(kTracepoint), in(kInner), in(kSchedule), in(kMutex), in(kRead),
              in(kEntry)},
    Addresses{in(kInner), in(kSchedule), in(kOtherRead), in(kEntry)}};

std::string names(std::span<const uint64_t> addresses) {
  std::string text;
  for (const Function f : sleeping_stack(addresses, kSleepSymbols))
    text += std::string(f.name()) + " ";
  return text;
}

BlockedTable table(const Sleeps& now, const Sleeps& before = {}) {
  return blocked_table(
      now, before, [](size_t place) { return std::span(kStacks[place]); }, kSleepSymbols);
}

// What of the tree ends in a function.
uint64_t self_ns(const CallTree& tree, std::string_view function) {
  uint64_t ns = 0;
  for (const CallNode& node : tree.nodes)
    if (node.function.name() == function) ns += node.self;
  return ns;
}

TEST(SleepingStack, BeginsWithWhoSleeps) {
  EXPECT_EQ(names(kStacks[0]), "pipe_read entry ");
  EXPECT_EQ(names(kStacks[2]), "mutex_lock pipe_read entry ");
}

// They say what it waits for.
TEST(SleepingStack, KeepsTheSchedulersCallers) {
  EXPECT_EQ(names(Addresses{in(kInner), in(kSchedule), in(kTimeout), in(kEntry)}),
            "schedule_timeout entry ");
}

TEST(SleepingStack, KeepsWhatItDoesNotKnow) {
  EXPECT_EQ(names(Addresses{in(kRead), in(kEntry)}), "pipe_read entry ");
  EXPECT_EQ(names(Addresses{}), "");
}

TEST(SleepingStack, TakesAddressesForReturnAddresses) {
  EXPECT_EQ(names(Addresses{0xffffffff81000500, 0xffffffff81000200}), "pipe_read ");
}

TEST(BlockedTable, CountsWhatCameSince) {
  const BlockedTable t =
      table({.ns = 400, .times = 7, .lost = 1, .long_ns = {100, 0, 240}, .short_ns = {60, 0, 0}},
            {.ns = 100, .times = 3, .lost = 1, .long_ns = {50, 0, 40}, .short_ns = {10, 0, 0}});
  EXPECT_EQ(t.ns, 300u);
  EXPECT_EQ(t.times, 4u);
  EXPECT_EQ(t.lost, 0u);
  EXPECT_EQ(t.tree->total, 300u);
  EXPECT_EQ(self_ns(*t.tree, "pipe_read"), 100u);
  EXPECT_EQ(self_ns(*t.tree, "mutex_lock"), 200u);
}

// One was taken by the switch, the other by the iterator.
TEST(BlockedTable, PlacesWithOneStackAreOne) {
  const BlockedTable t = table({.ns = 30, .times = 2, .long_ns = {10, 20}, .short_ns = {0, 0}});
  EXPECT_EQ(self_ns(*t.tree, "pipe_read"), 30u);
  EXPECT_EQ(t.tree->nodes.size(), 2u);
}

TEST(BlockedTable, FunctionsOfOneNameAreOne) {
  const BlockedTable t =
      table({.ns = 30, .times = 2, .long_ns = {10, 0, 0, 20}, .short_ns = {0, 0, 0, 0}});
  EXPECT_EQ(t.tree->nodes.size(), 2u);
  EXPECT_EQ(self_ns(*t.tree, "pipe_read"), 30u);
}

TEST(BlockedTable, LostStacksAreARootOfTheirOwn) {
  const BlockedTable t =
      table({.ns = 100, .times = 2, .lost = 1, .lost_ns = 30, .long_ns = {0}, .short_ns = {70}});
  EXPECT_EQ(t.lost, 1u);
  EXPECT_EQ(t.tree->total, 100u);
  EXPECT_EQ(self_ns(*t.tree, "[unknown]"), 30u);
}

TEST(BlockedTable, ShortSleepsStandForWhatLongOnesLeave) {
  const BlockedTable t =
      table({.ns = 1000, .times = 50, .long_ns = {400, 0, 0}, .short_ns = {50, 0, 16}});
  EXPECT_EQ(t.tree->total, 1000u);
  EXPECT_NEAR(double(self_ns(*t.tree, "pipe_read")), 400 + 600 * 50 / 66.0, 1);
  EXPECT_NEAR(double(self_ns(*t.tree, "mutex_lock")), 600 * 16 / 66.0, 1);
}

TEST(BlockedTable, IsUnknownWhileNoStackWasTaken) {
  const BlockedTable t = table({.ns = 10, .times = 1, .long_ns = {0, 7}, .short_ns = {0, 0}});
  EXPECT_EQ(self_ns(*t.tree, "[unknown]"), 3u);
  EXPECT_EQ(t.tree->total, 10u);
}

// It was under way then, and counted among the long ones.
TEST(BlockedTable, NeverWeighsMoreThanItIs) {
  const BlockedTable t = table({.ns = 100, .times = 1, .long_ns = {150}, .short_ns = {20}});
  EXPECT_EQ(t.tree->total, 100u);
  EXPECT_EQ(self_ns(*t.tree, "pipe_read"), 100u);
}

TEST(BlockedTable, OfNoSleepIsEmpty) {
  const BlockedTable t =
      table({.ns = 5, .long_ns = {5}, .short_ns = {0}}, {.ns = 9, .long_ns = {9}, .short_ns = {0}});
  EXPECT_EQ(t.ns, 0u);
  ASSERT_TRUE(t.tree);
  EXPECT_TRUE(t.tree->nodes.empty());
}

}  // namespace
}  // namespace pipetop::observe

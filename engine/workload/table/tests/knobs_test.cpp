#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

TEST(Knobs, EveryValueReadsBack) {
  for (const Knob& knob : knobs()) {
    for (const std::string_view value : knob.values) {
      Settings s;
      knob.set(s, value);
      EXPECT_EQ(knob.get(s), value) << knob.name;
    }
  }
  Settings s;
  knob("buf_size").set(s, "64K");
  EXPECT_EQ(knob("buf_size").get(s), "64KiB");
  knob("pipe_size").set(s, "1MiB");
  EXPECT_EQ(knob("pipe_size").get(s), "1MiB");
  knob("writer.cpu").set(s, "3");
  EXPECT_EQ(knob("writer.cpu").get(s), "3");
  EXPECT_EQ(s.pipe.placement, Placement::cpus);
}

TEST(Knobs, WaitStandsForBothRoles) {
  Settings s;
  knob("wait").set(s, "busy");
  EXPECT_EQ(s.pipe.writer_wait, Wait::busy);
  EXPECT_EQ(s.pipe.reader_wait, Wait::busy);
  knob("reader.wait").set(s, "poll");
  EXPECT_EQ(knob("wait").get(s), "");
}

TEST(Knobs, BadValuesSayWhatWouldBeRight) {
  Settings s;
  try {
    knob("wait").set(s, "bussy");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "\"bussy\" is not a valid value: give block, poll, busy, busy_poll or adaptive");
  }
  for (const char* bad : {"0", "4095", "6000", "128MiB", "much"})
    EXPECT_THROW(knob("buf_size").set(s, bad), Error) << bad;
  for (const char* bad : {"0", "1", "4GiB"}) EXPECT_THROW(knob("pipe_size").set(s, bad), Error);
  for (const char* bad : {"-1", "two", "1.5", "100000"})
    EXPECT_THROW(knob("writer.cpu").set(s, bad), Error) << bad;
  EXPECT_THROW(knob("gift").set(s, "maybe"), Error);
}

TEST(Knobs, AnUnknownNameGetsASuggestion) {
  try {
    knob("wirte_with");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "there is no knob \"wirte_with\": did you mean write_with?");
  }
}

TEST(Knobs, NamesKeysAndFlagsAreUnique) {
  std::set<std::string_view> names, flags;
  for (const Knob& knob : knobs()) {
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
    if (knob.article.flag.empty()) continue;
    EXPECT_TRUE(flags.insert(knob.article.flag).second) << knob.article.flag;
  }
  for (const WorkloadEntry& workload : workloads()) {
    std::set<char> keys;
    for (const HotKey& key : hot_keys(workload.kind)) {
      EXPECT_TRUE(keys.insert(key.key).second) << key.key;
      EXPECT_NE(find_knob(knobs_of(workload.kind), key.knob), nullptr) << key.knob;
    }
  }
}

TEST(Knobs, EveryWorkloadCanSwitchItsObserversOff) {
  for (const WorkloadEntry& workload : workloads()) {
    Settings s;
    s.workload = workload.kind;
    EXPECT_TRUE(has_knob(s, "observers"));
    EXPECT_EQ(knobs_of(s).back().name, "observers") << "the last column";
    EXPECT_EQ(knob("observers").get(s), "on");
    const auto keys = hot_keys(s);
    const auto key = std::ranges::find(keys, 'O', &HotKey::key);
    ASSERT_NE(key, keys.end());
    EXPECT_TRUE(key->lit(s));
    key->press(s);
    EXPECT_EQ(s.observers, Observing::off);
    EXPECT_FALSE(key->lit(s));
    key->press(s);
    EXPECT_EQ(s.observers, Observing::on);
  }
}

TEST(HotKeys, BusyAndPollCombine) {
  Settings s;
  const auto press = [&](char key) {
    for (const HotKey& k : hot_keys(WorkloadKind::pipe))
      if (k.key == key) k.press(s);
  };
  press('b');
  EXPECT_EQ(s.pipe.writer_wait, Wait::busy);
  press('p');
  EXPECT_EQ(s.pipe.reader_wait, Wait::busy_poll);
  press('b');
  EXPECT_EQ(s.pipe.reader_wait, Wait::poll);
  press('p');
  EXPECT_EQ(s, Settings{});
}

TEST(HotKeys, HugePagesHaveAKeyForEachKind) {
  Settings s;
  const auto press = [&](char key) {
    for (const HotKey& k : hot_keys(WorkloadKind::pipe))
      if (k.key == key) k.press(s);
    return s.pipe.pages;
  };
  EXPECT_EQ(press('h'), Pages::thp);
  EXPECT_EQ(press('h'), Pages::k4);
  EXPECT_EQ(press('H'), Pages::hugetlb);
  EXPECT_EQ(press('h'), Pages::thp);
  EXPECT_EQ(press('H'), Pages::hugetlb);
  EXPECT_EQ(press('H'), Pages::k4);
}

TEST(HotKeys, SingleStepsGoOnInSlowMotion) {
  Settings s;
  s.pipe.slow_motion = s.pipe.single_step = true;
  const auto press = [&] {
    for (const HotKey& k : hot_keys(WorkloadKind::pipe))
      if (k.key == 'm') k.press(s);
    return std::pair(s.pipe.slow_motion, s.pipe.single_step);
  };
  EXPECT_EQ(press(), std::pair(true, false));
  EXPECT_EQ(press(), std::pair(false, false));
  s.pipe.single_step = true;
  EXPECT_THROW(validate(s), Error);
}

TEST(HotKeys, AdaptiveIsLeftByItsOwnKeyAndTheOthers) {
  const auto pressed = [](Wait from, char key) {
    Settings s;
    s.pipe.writer_wait = s.pipe.reader_wait = from;
    for (const HotKey& k : hot_keys(WorkloadKind::pipe))
      if (k.key == key) k.press(s);
    EXPECT_EQ(s.pipe.writer_wait, s.pipe.reader_wait);
    return s.pipe.writer_wait;
  };
  EXPECT_EQ(pressed(Wait::busy_poll, 'z'), Wait::adaptive);
  EXPECT_EQ(pressed(Wait::adaptive, 'z'), Wait::block);
  EXPECT_EQ(pressed(Wait::adaptive, 'b'), Wait::busy);
  EXPECT_EQ(pressed(Wait::adaptive, 'p'), Wait::poll);
}

TEST(HotKeys, TheWritersKeyStepsThroughAllTechniques) {
  Settings s;
  for (const WriteWith next :
       {WriteWith::vmsplice, WriteWith::tee, WriteWith::splice, WriteWith::write}) {
    hot_keys(WorkloadKind::pipe)[0].press(s);
    EXPECT_EQ(s.pipe.write_with, next);
  }
}

TEST(HotKeys, AnySequenceStaysValid) {
  Settings s;
  unsigned state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1664525u + 1013904223u;
    hot_keys(WorkloadKind::pipe)[(state >> 16) % hot_keys(WorkloadKind::pipe).size()].press(s);
    ASSERT_GE(s.pipe.buf_size, kMinBufBytes);
    ASSERT_LE(s.pipe.buf_size, kMaxBufBytes);
    ASSERT_EQ(s.pipe.buf_size % kPageBytes, 0u);
    ASSERT_TRUE(s.pipe.pipe_size == kAutoPipeSize || s.pipe.pipe_size >= kPageBytes);
    ASSERT_NO_THROW(validate(s));
  }
}

TEST(Knobs, AutomaticPipeSizeIsTheArticles) {
  Settings s;
  EXPECT_EQ(wanted_pipe_bytes(s.pipe), kAutoPipeSize);
  for (const WriteWith lends : {WriteWith::vmsplice, WriteWith::tee, WriteWith::splice}) {
    s.pipe.write_with = lends;
    EXPECT_EQ(wanted_pipe_bytes(s.pipe), 128u * 1024);
  }
  s.pipe.buf_size = kMinBufBytes;
  EXPECT_EQ(wanted_pipe_bytes(s.pipe), 4096u);
  s.pipe.pipe_size = 1 << 20;
  EXPECT_EQ(wanted_pipe_bytes(s.pipe), 1u << 20);
}

TEST(Knobs, ValidateNamesTheConflict) {
  Settings s;
  EXPECT_NO_THROW(validate(s));
  s.pipe.placement = Placement::cpus;
  EXPECT_THROW(validate(s), Error);
  s = {};
  s.pipe.check_huge_page = true;
  s.pipe.touch_pages = false;
  EXPECT_THROW(validate(s), Error);
}

}  // namespace
}  // namespace pipetop

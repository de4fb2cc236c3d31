#include "engine/effective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace pipetop {
namespace {

struct Case {
  Settings requested;
  EffectiveFacts facts;
  Plan plan;

  Case() {
    requested.write_with = WriteWith::vmsplice;
    requested.pages = Pages::thp;
    plan.settings = requested;
    plan.settings.pipe_size = facts.pipe_bytes = 131072;
    facts.writer = facts.reader = WorkerReport{};
    facts.writer->pages = static_cast<uint64_t>(Pages::thp);
    facts.writer->buffer_address[0] = 4096;
    facts.huge = Reading<bool>::of(true);
    facts.probe = ZeroCopy::zero_copy;
    facts.settled = true;
  }
  Effective make() const { return make_effective(requested, plan, facts); }
};

TEST(Effective, AllGranted) {
  const Effective e = Case().make();
  EXPECT_TRUE(e.mismatches.empty());
  EXPECT_EQ(e.zero_copy, ZeroCopy::zero_copy);
  EXPECT_EQ(e.settings.pages, Pages::thp);
}

TEST(Effective, HugePagesAreWhatSmapsSays) {
  Case c;
  c.facts.huge = Reading<bool>::of(false);
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pages, Pages::k4);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].requested, "thp");
  EXPECT_EQ(e.mismatches[0].effective, "4k");
}

TEST(Effective, MissingHugetlbNamesTheRemedy) {
  Case c;
  c.requested.pages = c.plan.settings.pages = Pages::hugetlb;
  c.facts.writer->pages_error = ENOMEM;
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pages, Pages::thp);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_NE(e.mismatches[0].reason.find("nr_hugepages"), std::string::npos);
}

TEST(Effective, ARefusedLockIsSaid) {
  Case c;
  c.requested.lock_memory = c.plan.settings.lock_memory = true;
  c.facts.reader->lock_error = ENOMEM;
  const Effective e = c.make();
  EXPECT_FALSE(e.settings.lock_memory);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "lock_memory");
}

TEST(Effective, TheGrantedPipeSizeIsShown) {
  Case c;
  c.facts.pipe_bytes = 65536;
  c.facts.resize_error = EPERM;
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pipe_size, 65536u);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].effective, "64KiB");
}

TEST(Effective, WriteIsACopy) {
  Case c;
  c.requested.write_with = c.plan.settings.write_with = WriteWith::write;
  EXPECT_EQ(c.make().zero_copy, ZeroCopy::copied);
}

}  // namespace
}  // namespace pipetop

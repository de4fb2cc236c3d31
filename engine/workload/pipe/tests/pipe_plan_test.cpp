#include "engine/workload/pipe/pipe_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace pipetop {
namespace {

Capabilities machine() {
  Capabilities m;
  m.cpus = {{0, 0, 0}, {1, 1, 0}};
  return m;
}

const Mismatch* mismatch(const Effective& plan, std::string_view knob) {
  const auto found = std::ranges::find(plan.mismatches, knob, &Mismatch::knob);
  return found == plan.mismatches.end() ? nullptr : &*found;
}

TEST(PipePlan, WhatCanBeHadIsLeftAlone) {
  Settings s;
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.gift = true;
  s.pipe.pages = Pages::thp;
  const Effective plan = make_plan(s, machine());
  EXPECT_TRUE(plan.mismatches.empty());
  EXPECT_TRUE(plan.settings.pipe.gift);
  EXPECT_EQ(plan.settings.pipe.pipe_size, 128u * 1024);
  EXPECT_EQ(plan.settings.pipe.writer_cpu, 0);
  EXPECT_EQ(plan.settings.pipe.reader_cpu, 1);
}

TEST(PipePlan, AnObstacleIsWhatTheMachineLacks) {
  Settings s;
  s.pipe.pages = Pages::hugetlb;
  EXPECT_EQ(obstacle_of(s, "pages", machine(), 16), "");
  EXPECT_EQ(obstacle_of(s, "pages", machine(), 0),
            "no free huge pages here; echo 16 > /proc/sys/vm/nr_hugepages");
  s.pipe.pages = Pages::thp;
  EXPECT_EQ(obstacle_of(s, "pages", machine(), 0), "");
  Capabilities without = machine();
  without.thp = {"never", "/sys/enabled"};
  EXPECT_NE(obstacle_of(s, "pages", without, 0).find("echo madvise > /sys/enabled"),
            std::string::npos);
  s.pipe.placement = Placement::far;
  EXPECT_NE(obstacle_of(s, "placement", machine(), 0), "");
  s.pipe.gift = true;
  EXPECT_EQ(obstacle_of(s, "gift", machine(), 0), "") << "it depends on another knob";
}

TEST(PipePlan, ARefusedVmspliceBecomesWrite) {
  Settings s;
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.gift = true;
  Capabilities m = machine();
  m.probe.vmsplice_errno = EPERM;
  const Effective plan = make_plan(s, m);
  EXPECT_EQ(plan.settings.pipe.write_with, WriteWith::write);
  ASSERT_NE(mismatch(plan, "write_with"), nullptr);
  EXPECT_EQ(mismatch(plan, "write_with")->requested, "vmsplice");
  EXPECT_NE(mismatch(plan, "gift"), nullptr);
  EXPECT_EQ(plan.settings.pipe.pipe_size, 64u * 1024);
}

TEST(PipePlan, ThpNeverMeansSmallPages) {
  Settings s;
  s.pipe.pages = Pages::thp;
  Capabilities m = machine();
  m.thp = {"never", "/sys/file"};
  const Effective plan = make_plan(s, m);
  EXPECT_EQ(plan.settings.pipe.pages, Pages::k4);
  EXPECT_EQ(mismatch(plan, "pages")->reason,
            "transparent huge pages are off; echo madvise > /sys/file");
}

TEST(PipePlan, PipeSizeStopsAtTheLimit) {
  Settings s;
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.buf_size = 64 << 20;
  Effective plan = make_plan(s, machine());
  EXPECT_EQ(plan.settings.pipe.pipe_size, 1u << 20);
  EXPECT_EQ(mismatch(plan, "pipe_size")->requested, "auto (32MiB)");
  Capabilities root = machine();
  root.may_exceed_pipe_max = true;
  plan = make_plan(s, root);
  EXPECT_EQ(plan.settings.pipe.pipe_size, 32u << 20);
  EXPECT_EQ(mismatch(plan, "pipe_size"), nullptr);
}

TEST(PipePlan, PipeSizeIsRoundedAsTheKernelDoes) {
  Settings s;
  s.pipe.pipe_size = 100'000;
  EXPECT_EQ(make_plan(s, machine()).settings.pipe.pipe_size, 131072u);
}

TEST(PipePlan, HalvesMustBeWholePages) {
  Settings s;
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.buffers = Buffers::same;
  s.pipe.buf_size = 3 * kPageBytes;
  EXPECT_EQ(make_plan(s, machine()).settings.pipe.buffers, Buffers::separate);
}

TEST(PipePlan, BuffersAreForVmsplice) {
  Settings s;
  s.pipe.buffers = Buffers::single;
  EXPECT_NE(mismatch(make_plan(s, machine()), "buffers"), nullptr);
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.buf_size = 3 * kPageBytes;  // no halves
  EXPECT_EQ(make_plan(s, machine()).settings.pipe.buffers, Buffers::single);
}

TEST(PipePlan, OnlyVmspliceGivesPagesAway) {
  for (const WriteWith technique : {WriteWith::write, WriteWith::tee, WriteWith::splice}) {
    Settings s;
    s.pipe.write_with = technique;
    s.pipe.gift = true;
    const Effective plan = make_plan(s, machine());
    EXPECT_FALSE(plan.settings.pipe.gift);
    ASSERT_NE(mismatch(plan, "gift"), nullptr);
    EXPECT_EQ(plan.mismatches.size(), 1u);
  }
}

TEST(PipePlan, TeeNeedsVmsplice) {
  Settings s;
  s.pipe.write_with = WriteWith::tee;
  Capabilities m = machine();
  m.probe.vmsplice_errno = EPERM;
  const Effective plan = make_plan(s, m);
  EXPECT_EQ(plan.settings.pipe.write_with, WriteWith::write);
  EXPECT_TRUE(mismatch(plan, "write_with")->reason.starts_with("vmsplice, which fills tee's"));
  s.pipe.write_with = WriteWith::splice;
  EXPECT_EQ(make_plan(s, m).settings.pipe.write_with, WriteWith::splice);
}

TEST(PipePlan, TeeAsksForNoMoreThanAPipeHolds) {
  Settings s;
  s.pipe.write_with = WriteWith::tee;
  s.pipe.buf_size = 4 << 20;
  Capabilities m = machine();
  Effective plan = make_plan(s, m);
  EXPECT_EQ(plan.settings.pipe.buf_size, 1u << 20);
  EXPECT_EQ(plan.settings.pipe.pipe_size, 1u << 19);
  EXPECT_NE(mismatch(plan, "buf_size")->reason.find("echo 4194304"), std::string::npos);
  m.may_exceed_pipe_max = true;
  plan = make_plan(s, m);
  EXPECT_EQ(plan.settings.pipe.buf_size, 4u << 20);
  EXPECT_TRUE(plan.mismatches.empty());
}

TEST(PipePlan, AMemfdHasHugePagesWhereShmemMay) {
  Settings s;
  s.pipe.write_with = WriteWith::splice;
  s.pipe.touch_pages = false;
  s.pipe.payload = Payload::stamped;
  const auto planned = [&](Pages pages, const char* shmem_thp) {
    s.pipe.pages = pages;
    Capabilities m = machine();
    m.shmem_thp.value = shmem_thp;
    const Effective plan = make_plan(s, m);
    EXPECT_TRUE(plan.settings.pipe.touch_pages);
    EXPECT_EQ(mismatch(plan, "pages") == nullptr, plan.settings.pipe.pages == pages);
    return plan.settings.pipe.pages;
  };
  EXPECT_EQ(planned(Pages::thp, "advise"), Pages::thp);
  EXPECT_EQ(planned(Pages::hugetlb, "always"), Pages::thp);
  for (const Pages pages : {Pages::thp, Pages::hugetlb})
    for (const char* refused : {"never", "deny", ""}) EXPECT_EQ(planned(pages, refused), Pages::k4);
}

TEST(PipePlan, StampingTouchesPages) {
  Settings s;
  s.pipe.touch_pages = false;
  s.pipe.payload = Payload::stamped;
  EXPECT_NE(mismatch(make_plan(s, machine()), "touch_pages"), nullptr);
}

TEST(PipePlan, OneCpuIsSaid) {
  Capabilities m = machine();
  m.cpus.resize(1);
  const Effective plan = make_plan(Settings{}, m);
  EXPECT_EQ(plan.settings.pipe.placement, Placement::same_cpu);
  ASSERT_NE(mismatch(plan, "placement"), nullptr);
  EXPECT_EQ(mismatch(plan, "placement")->requested, "near");
}

}  // namespace
}  // namespace pipetop

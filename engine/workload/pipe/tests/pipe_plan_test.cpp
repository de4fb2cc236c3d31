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

struct Case {
  Settings requested;
  EffectiveFacts facts;
  Effective plan;

  Case() {
    requested.pipe.write_with = WriteWith::vmsplice;
    requested.pipe.pages = Pages::thp;
    plan.settings = requested;
    plan.settings.pipe.pipe_size = facts.pipe_bytes = 131072;
    facts.writer = facts.reader = PipeReport{};
    facts.writer->pages = Pages::thp;
    facts.writer->buffer_address[0] = 4096;
    facts.huge = Reading<bool>::of(true);
    facts.probe.result = ZeroCopy::zero_copy;
  }
  Effective make() const { return make_effective(requested, plan, facts); }
};

TEST(Effective, AllGranted) {
  const Effective e = Case().make();
  EXPECT_TRUE(e.mismatches.empty());
  EXPECT_EQ(e.pipe.zero_copy, ZeroCopy::zero_copy);
  EXPECT_EQ(e.settings.pipe.pages, Pages::thp);
}

TEST(Effective, HugePagesAreWhatSmapsSays) {
  Case c;
  c.facts.huge = Reading<bool>::of(false);
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pipe.pages, Pages::k4);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].requested, "thp");
  EXPECT_EQ(e.mismatches[0].effective, "4k");
}

TEST(Effective, MissingHugetlbNamesTheRemedy) {
  Case c;
  c.requested.pipe.pages = c.plan.settings.pipe.pages = Pages::hugetlb;
  c.facts.writer->pages_error = ENOMEM;
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pipe.pages, Pages::thp);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_NE(e.mismatches[0].reason.find("nr_hugepages"), std::string::npos);
}

TEST(Effective, ARefusedLockIsSaid) {
  Case c;
  c.requested.pipe.lock_memory = c.plan.settings.pipe.lock_memory = true;
  c.facts.reader->lock_error = ENOMEM;
  const Effective e = c.make();
  EXPECT_FALSE(e.settings.pipe.lock_memory);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "lock_memory");
}

TEST(Effective, TheGrantedPipeSizeIsShown) {
  Case c;
  c.facts.pipe_bytes = 65536;
  c.facts.resize_error = EPERM;
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pipe.pipe_size, 65536u);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].effective, "64KiB");
}

TEST(Effective, WriteIsACopy) {
  Case c;
  c.requested.pipe.write_with = c.plan.settings.pipe.write_with = WriteWith::write;
  const Effective e = c.make();
  EXPECT_EQ(e.pipe.zero_copy, ZeroCopy::copied);
  EXPECT_TRUE(e.mismatches.empty());
}

Reading<std::array<double, kSlotKinds>> kinds(double copies, double user_pages) {
  return Reading<std::array<double, kSlotKinds>>::of({0, copies, user_pages, 0, 0, 0});
}

TEST(Effective, UserPagesSeenInTheRingProveZeroCopy) {
  Case c;
  c.facts.probe.result = ZeroCopy::unverifiable;
  c.facts.seen.kinds = kinds(0, 1);
  const Effective e = c.make();
  EXPECT_EQ(e.pipe.zero_copy, ZeroCopy::zero_copy);
  EXPECT_NE(e.pipe.zero_copy_reason.find("seen in the ring"), std::string::npos);
  EXPECT_TRUE(e.mismatches.empty());
}

TEST(Effective, CopiesSeenInTheRingOutweighTheProbe) {
  Case c;
  c.facts.seen.kinds = kinds(0.98, 0.02);
  const Effective e = c.make();
  EXPECT_EQ(e.pipe.zero_copy, ZeroCopy::copied);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "write_with");
  EXPECT_EQ(e.mismatches[0].effective, "vmsplice, but copied");
  EXPECT_TRUE(e.mismatches[0].reason.starts_with("98 % of the slots seen hold copies"));
  c.facts.seen.kinds = kinds(0.001, 0.999);  // a torn sample
  EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::zero_copy);
}

TEST(Effective, AProbeThatFoundACopyIsAMismatch) {
  Case c;
  c.facts.probe.result = ZeroCopy::copied;
  c.facts.probe.reason = "the pipe kept what the page held";
  const Effective e = c.make();
  EXPECT_EQ(e.pipe.zero_copy, ZeroCopy::copied);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].reason, "the pipe kept what the page held");
}

Reading<std::array<double, kSlotKinds>> only(SlotKind kind) {
  std::array<double, kSlotKinds> shares{};
  shares[static_cast<size_t>(kind)] = 1;
  return Reading<std::array<double, kSlotKinds>>::of(shares);
}

TEST(Effective, TeeLendsWhatItsSourceHolds) {
  Case c;
  c.requested.pipe.write_with = c.plan.settings.pipe.write_with = WriteWith::tee;
  EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::zero_copy);  // the probe of vmsplice
  c.facts.probe.result = ZeroCopy::copied;
  EXPECT_EQ(c.make().mismatches[0].effective, "tee, but copied");
  c.facts.seen.kinds = only(SlotKind::user_page);
  EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::zero_copy);
  c.facts.seen.kinds = only(SlotKind::copy);
  EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::copied);
  EXPECT_NE(c.make().pipe.zero_copy_reason.find("tee's source"), std::string::npos);
}

TEST(Effective, SpliceLendsThePageCache) {
  Case c;
  c.requested.pipe.write_with = c.plan.settings.pipe.write_with = WriteWith::splice;
  EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::unverifiable);  // vmsplice's probe says nothing
  c.facts.file_probe.result = ZeroCopy::copied;
  EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::copied);
  for (const SlotKind lent : {SlotKind::page_cache, SlotKind::zero_page}) {
    c.facts.seen.kinds = only(lent);
    EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::zero_copy);
    EXPECT_TRUE(c.make().mismatches.empty());
  }
  c.facts.seen.kinds = only(SlotKind::copy);
  EXPECT_EQ(c.make().pipe.zero_copy, ZeroCopy::copied);
  ASSERT_EQ(c.make().mismatches.size(), 1u);
  EXPECT_EQ(c.make().mismatches[0].effective, "splice, but copied");
  EXPECT_NE(c.make().pipe.zero_copy_reason.find("copy_splice_read"), std::string::npos);
}

TEST(Effective, ASmallerSourceOfTeeIsSaid) {
  Case c;
  c.requested.pipe.write_with = c.plan.settings.pipe.write_with = WriteWith::tee;
  c.facts.writer->call_bytes = 65536;
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pipe.buf_size, 65536u);
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].requested, "256KiB");
}

TEST(Effective, TheReadersCopyIsToldApart) {
  Case c;
  EXPECT_TRUE(c.make().pipe.zero_copy_reason.ends_with("; read then copies the bytes out"));
  c.requested.pipe.read_with = c.plan.settings.pipe.read_with = ReadWith::splice;
  EXPECT_TRUE(c.make().pipe.zero_copy_reason.ends_with("; splice to /dev/null copies nothing"));
}

TEST(Effective, APinnedWorkerSeenElsewhereIsAMismatch) {
  Case c;
  c.plan.settings.pipe.writer_cpu = 0;
  c.plan.settings.pipe.reader_cpu = 1;
  c.facts.seen.run_on = {0, 1};
  EXPECT_TRUE(c.make().mismatches.empty());
  c.facts.seen.run_on = {std::nullopt, 3};
  const Effective e = c.make();
  ASSERT_EQ(e.mismatches.size(), 1u);
  EXPECT_EQ(e.mismatches[0].knob, "placement");
  EXPECT_EQ(e.mismatches[0].requested, "reader on CPU 1");
  EXPECT_EQ(e.mismatches[0].effective, "reader on CPU 3");
  EXPECT_EQ(e.settings.pipe.reader_cpu, 3);
  EXPECT_EQ(e.settings.pipe.writer_cpu, 0);
  c.facts.seen.run_on = {1, 3};
  EXPECT_EQ(c.make().mismatches[0].effective, "writer on CPU 1, reader on CPU 3");
  c.plan.settings.pipe.writer_cpu = c.plan.settings.pipe.reader_cpu = kNoCpu;
  EXPECT_TRUE(c.make().mismatches.empty());
}

TEST(Effective, SlowMotionAsksForLess) {
  Case c;
  c.requested.pipe.slow_motion = c.plan.settings.pipe.slow_motion = true;
  const Effective e = c.make();
  EXPECT_EQ(e.settings.pipe.buf_size, 8192u);
  EXPECT_TRUE(e.mismatches.empty()) << "that is what slow motion is";
}

}  // namespace

}  // namespace pipetop

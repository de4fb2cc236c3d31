// Slots of pipes that other processes hold.
#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/observe/tests/scan_fixture.h"

namespace pipetop::observe {
namespace {

class ForeignRingsTest : public testing::Test {
 protected:
  void SetUp() override {
    Reading<int> made = Reading<int>::of(0);
    try {
      rings_ = make_foreign_rings();
      scanner_ = make_bpf_pipe_scanner();
    } catch (const Error& error) {
      made = Reading<int>::unavailable(error.what());
    }
    PIPETOP_NEED(made);
  }

  // An end that the process holds, as a scan finds it.
  PipeEnd end_of(PipeId pipe, pid_t pid) {
    const PipeScan scan = scanner_->scan();
    const ScannedPipe* seen = pipe_in(scan, pipe);
    if (!seen) return {};
    const auto end =
        std::ranges::find_if(seen->ends, [&](const PipeEnd& e) { return e.process.pid == pid; });
    return end != seen->ends.end() ? *end : PipeEnd{};
  }

  std::unique_ptr<ForeignRings> rings_;
  std::unique_ptr<PipeScanner> scanner_;
};

TEST_F(ForeignRingsTest, AnotherProcessesSlots) {
  TestPipe copied, lent;
  Child child([] { return pause(); });
  copied.put(5000);
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const Mapping owner(page, 4096);
  const iovec piece = {static_cast<char*>(page) + 10, 20};
  ASSERT_EQ(vmsplice(lent.in.get(), &piece, 1, 0), 20);
  const PipeEnd first = end_of(copied.id, child.pid()), second = end_of(lent.id, child.pid());
  copied.close();
  lent.close();
  for (int i = 0; i < 3; ++i) {
    const auto frame = rings_->frame(copied.id, first);
    ASSERT_TRUE(frame.has_value()) << frame.reason;
    EXPECT_EQ(frame->slots, 16u);
    EXPECT_EQ(frame->used, 2u);
    EXPECT_EQ(frame->readers, 1u);
    EXPECT_EQ(frame->writers, 1u);
    EXPECT_EQ(frame->slot[0].kind, SlotKind::copy);
    EXPECT_EQ(frame->slot[0].length + frame->slot[1].length, 5000u);
    EXPECT_EQ(frame->slot[2].kind, SlotKind::empty);
    const auto other = rings_->frame(lent.id, second);
    ASSERT_TRUE(other.has_value()) << other.reason;
    EXPECT_EQ(other->slot[0].kind, SlotKind::user_page);
    EXPECT_EQ(other->slot[0].offset, 10u);
    EXPECT_EQ(other->slot[0].length, 20u);
  }
}

TEST_F(ForeignRingsTest, AClosedEndIsUnavailable) {
  TestPipe pipe, other;
  const ProcessId self = id_of_process(getpid());
  const PipeEnd end = {self, pipe.in.get(), Access::write, false};
  EXPECT_TRUE(rings_->frame(pipe.id, end).has_value());
  // That descriptor is another pipe's.
  const auto wrong = rings_->frame(other.id, end);
  EXPECT_EQ(wrong.status, ReadingStatus::unavailable);
  EXPECT_EQ(wrong.reason, "this pipe end was closed; select another pipe");
  pipe.in.reset();
  EXPECT_EQ(rings_->frame(pipe.id, end).status, ReadingStatus::unavailable);
  EXPECT_TRUE(rings_->frame(pipe.id, {self, pipe.out.get(), Access::read, false}).has_value());
  const PipeEnd nobodys = {{1 << 22, 1}, 0, Access::read, false};
  EXPECT_EQ(rings_->frame(pipe.id, nobodys).status, ReadingStatus::unavailable);
}

// Processes come and go; links to them don't pile up.
TEST_F(ForeignRingsTest, ManyProcesses) {
  TestPipe pipe;
  pipe.put(1);
  for (int i = 0; i < 100; ++i) {
    const Child child([] { return pause(); });
    const PipeEnd end = {id_of_process(child.pid()), pipe.out.get(), Access::read, false};
    const auto frame = rings_->frame(pipe.id, end);
    ASSERT_TRUE(frame.has_value()) << i << ": " << frame.reason;
    EXPECT_EQ(frame->used, 1u);
  }
}

}  // namespace
}  // namespace pipetop::observe

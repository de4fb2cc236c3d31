// Snapshots of the ring that are taken by the sampler's ticks.
#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "engine/observe/observers.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/sampler.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

class RingTicks : public testing::Test {
 protected:
  void SetUp() override {
    PIPETOP_NEED(Observers({.pipe_fd = pipe_.out.get()}).ring_frame(monotonic_ns()));
    reader_ = observe::make_ring_reader(pipe_.out.get());
    sampler_ = observe::make_sampler(999, reader_->copies_fd());
    sampler_->watch_pipe(reader_->pipe_address());
  }

  // What a tick sees, asked now; null on failure.
  std::unique_ptr<ring_snapshot> tick() {
    const ring_snapshot* seen = nullptr;
    sampler_->request_copy(monotonic_ns(), 0);
    EXPECT_TRUE(eventually([&] { return (seen = reader_->snapshot_of_tick()) != nullptr; }));
    return seen ? std::make_unique<ring_snapshot>(*seen) : nullptr;
  }

  TestPipe pipe_{O_NONBLOCK};
  std::unique_ptr<observe::RingReader> reader_;
  std::unique_ptr<observe::Sampler> sampler_;
};

TEST_F(RingTicks, SeeWhatASnapshotOfOurOwnSees) {
  for (const int slots : {16, 1, 32, 256}) {
    ASSERT_TRUE(pipe_.resize(slots * 4096));
    pipe_.fill();
    ASSERT_EQ(pipe_.take(1000), 1000);
    const uint64_t asked_ns = monotonic_ns();
    const auto by_tick = tick();
    ASSERT_TRUE(by_tick);
    EXPECT_GE(by_tick->ring.at_ns, asked_ns);
    EXPECT_EQ(by_tick->filled, uint32_t(slots));
    EXPECT_EQ(by_tick->slot[0].offset, 1000u);
    EXPECT_EQ(by_tick->slot[0].length, 3096u);
    ring_snapshot own = reader_->take_snapshot();
    EXPECT_GT(own.ring.at_ns, by_tick->ring.at_ns);
    own.ring.at_ns = by_tick->ring.at_ns;
    EXPECT_EQ(std::memcmp(&own, by_tick.get(), sizeof(own)), 0) << slots;
    while (pipe_.take(4096) > 0) continue;
  }
}

TEST_F(RingTicks, AnswerOnceAndNotBeforeTheInstantThatWasAsked) {
  EXPECT_EQ(reader_->snapshot_of_tick(), nullptr);
  const uint64_t from_ns = monotonic_ns() + 100'000'000;
  sampler_->request_copy(from_ns, 0);
  const ring_snapshot* seen = nullptr;
  ASSERT_TRUE(eventually([&] { return (seen = reader_->snapshot_of_tick()) != nullptr; }));
  EXPECT_GE(seen->ring.at_ns, from_ns);
  usleep(50'000);
  EXPECT_EQ(reader_->snapshot_of_tick(), nullptr);
}

TEST_F(RingTicks, WithoutThemFramesAreTakenAtOnce) {
  Observers observers({.pipe_fd = pipe_.out.get()});
  const auto first = observers.ring_frame(monotonic_ns());
  ASSERT_TRUE(first.has_value()) << first.reason;
  uint64_t last_ns = first->at_ns;
  for (uint64_t hours = 1; hours <= 3; ++hours) {  // seen from there every tick is overdue
    const auto frame = observers.ring_frame(monotonic_ns() + hours * 3'600'000'000'000);
    ASSERT_TRUE(frame.has_value()) << frame.reason;
    EXPECT_GE(frame->at_ns, last_ns);
    last_ns = frame->at_ns;
  }
  EXPECT_GT(last_ns, first->at_ns);
}

// Every other call returns a snapshot that the one before it has returned.
TEST_F(RingTicks, KindsCountASnapshotOnce) {
  Observers observers({.pipe_fd = pipe_.out.get()});
  std::array<double, kSlotKinds> slots{};
  uint64_t last_ns = 0;
  const auto next_snapshot = [&] {
    const auto frame = observers.ring_frame(monotonic_ns());
    if (frame->at_ns == last_ns) return false;
    last_ns = frame->at_ns;
    for (const Slot& slot : frame->slot)
      if (slot.kind != SlotKind::empty) ++slots[size_t(slot.kind)];
    return true;
  };
  ASSERT_EQ(pipe_.put(10), 10);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(eventually(next_snapshot));
  static char lent[4096];
  const iovec piece = {lent, 1};
  ASSERT_EQ(vmsplice(pipe_.in.get(), &piece, 1, 0), 1);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(eventually(next_snapshot));

  const auto kinds = observers.kinds();
  ASSERT_TRUE(kinds.has_value()) << kinds.reason;
  const double copies = slots[size_t(SlotKind::copy)], pages = slots[size_t(SlotKind::user_page)];
  EXPECT_EQ(copies, 10);
  EXPECT_GE(pages, 4);
  EXPECT_DOUBLE_EQ((*kinds)[size_t(SlotKind::user_page)], pages / (copies + pages));
}

// ---- what happens to the ring meanwhile ------------------------------------

// While we run, the ring is not what it is else: here we have emptied it. Frames must
// not show that.
class MeasuredRingTicks : public RingTicks {};

TEST_F(MeasuredRingTicks, FramesAreNotTakenWhileItIsOurTurn) {
  constexpr uint64_t kOurTurn_ns = 5'000'000, kTakesLess_ns = 1'000'000;
  Observers observers({.pipe_fd = pipe_.out.get()});
  pipe_.fill();
  uint64_t asked_ns = monotonic_ns(), filled_ns = asked_ns;
  auto frame = observers.ring_frame(asked_ns);
  ASSERT_TRUE(frame.has_value()) << frame.reason;
  int full = 0, other = 0;
  EXPECT_TRUE(eventually([&] {
    const uint64_t last_ns = frame->at_ns, began_ns = monotonic_ns();
    while (pipe_.take(4096) > 0) continue;
    const uint64_t called_ns = monotonic_ns();
    frame = observers.ring_frame(called_ns);
    const uint64_t returned_ns = monotonic_ns();  // a tick may come during the call
    pipe_.fill();
    if (frame->at_ns != last_ns) {
      EXPECT_LT(frame->at_ns, returned_ns);
      EXPECT_GE(frame->at_ns, asked_ns + kOurTurn_ns);
      asked_ns = called_ns;
      // Unless the tick came so late, or we did, that it is our turn again.
      if (filled_ns < frame->at_ns && frame->at_ns + kTakesLess_ns < began_ns)
        ++(frame->used == frame->slots ? full : other);
    }
    filled_ns = monotonic_ns();
    return full + other >= 50;
  }));
  // A host may take the CPU away between the frame's instant and its copy.
  EXPECT_LE(other, 2);
}

constexpr size_t kPipeBytes = 128 * 1024;

// vmsplice into the pipe in a busy loop.
std::function<void()> writer_of(const TestPipe& pipe) {
  void* memory = mmap(nullptr, kPipeBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return [fd = pipe.in.get(), piece = iovec{memory, kPipeBytes}] {
    if (vmsplice(fd, &piece, 1, SPLICE_F_NONBLOCK) < 0 && errno != EAGAIN) _exit(1);
  };
}

// splice to /dev/null in a busy loop.
std::function<void()> reader_of(const TestPipe& pipe, int nowhere) {
  return [fd = pipe.out.get(), nowhere] {
    const ssize_t moved = splice(fd, nullptr, nowhere, nullptr, kPipeBytes, SPLICE_F_NONBLOCK);
    if (moved < 0 && errno != EAGAIN) _exit(1);
  };
}

// A page that is being taken out may be missing already.
TEST_F(RingTicks, AFrameOfARingInMotionIsWholeOrSaysThatItIsTorn) {
  ASSERT_TRUE(pipe_.resize(kPipeBytes));
  Observers observers({.pipe_fd = pipe_.out.get()});
  const UniqueFd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const BusyChild writer(writer_of(pipe_));
  const BusyChild reader(reader_of(pipe_, nowhere.get()));
  uint64_t last_ns = 0;
  int whole = 0;
  EXPECT_TRUE(eventually([&] {
    const auto frame = observers.ring_frame(monotonic_ns());
    if (frame->at_ns == last_ns || frame->torn) return false;
    last_ns = frame->at_ns;
    EXPECT_LE(frame->used, frame->slots);
    const auto pages = std::ranges::count(frame->slot, SlotKind::user_page, &Slot::kind);
    const auto empty = std::ranges::count(frame->slot, SlotKind::empty, &Slot::kind);
    EXPECT_EQ(pages + empty, frame->slots);
    EXPECT_LE(pages, frame->used);
    whole += pages > 0 && pages == frame->used;
    return whole >= 40;
  }));
}

}  // namespace
}  // namespace pipetop

// Looks at the ring that are taken by the sampler's ticks.
#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <cstring>

#include "engine/observe/observers.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/sampler.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/observe/tests/scratch_pipe.h"

namespace pipetop {
namespace {

using observe::BusyChild;
using observe::eventually;
using observe::ScratchPipe;

class RingTicks : public testing::Test {
 protected:
  void SetUp() override {
    PIPETOP_NEED(Observers({.pipe_fd = pipe_.read_end()}).ring_frame(monotonic_ns()));
    reader_ = std::make_unique<observe::RingReader>(pipe_.read_end());
    sampler_ = std::make_unique<observe::Sampler>(999, reader_->copies_fd());
    sampler_->look_at(reader_->pipe_address());
  }

  // What a tick sees, asked now; null on failure.
  std::unique_ptr<ring_look> tick() {
    const ring_look* seen = nullptr;
    sampler_->want_copy(monotonic_ns(), 0);
    EXPECT_TRUE(eventually([&] { return (seen = reader_->look_of_tick()) != nullptr; }));
    return seen ? std::make_unique<ring_look>(*seen) : nullptr;
  }

  ScratchPipe pipe_;
  std::unique_ptr<observe::RingReader> reader_;
  std::unique_ptr<observe::Sampler> sampler_;
};

TEST_F(RingTicks, SeeWhatALookOfOurOwnSees) {
  for (const int slots : {16, 1, 32, 256}) {
    ASSERT_TRUE(pipe_.resize(slots * 4096));
    pipe_.fill();
    ASSERT_EQ(pipe_.take(1000), 1000);
    const uint64_t asked_ns = monotonic_ns();
    const auto by_tick = tick();
    ASSERT_TRUE(by_tick);
    EXPECT_GE(by_tick->at_ns, asked_ns);
    EXPECT_EQ(by_tick->filled, uint32_t(slots));
    EXPECT_EQ(by_tick->slot[0].offset, 1000u);
    EXPECT_EQ(by_tick->slot[0].length, 3096u);
    ring_look own = reader_->look();
    EXPECT_GT(own.at_ns, by_tick->at_ns);
    own.at_ns = by_tick->at_ns;
    EXPECT_EQ(std::memcmp(&own, by_tick.get(), sizeof(own)), 0) << slots;
    while (pipe_.take(4096) > 0) continue;
  }
}

TEST_F(RingTicks, AnswerOnceAndNotBeforeTheInstantThatWasAsked) {
  EXPECT_EQ(reader_->look_of_tick(), nullptr);
  const uint64_t from_ns = monotonic_ns() + 100'000'000;
  sampler_->want_copy(from_ns, 0);
  const ring_look* seen = nullptr;
  ASSERT_TRUE(eventually([&] { return (seen = reader_->look_of_tick()) != nullptr; }));
  EXPECT_GE(seen->at_ns, from_ns);
  usleep(50'000);
  EXPECT_EQ(reader_->look_of_tick(), nullptr);
}

TEST_F(RingTicks, WithoutThemFramesAreTakenAtOnce) {
  Observers observers({.pipe_fd = pipe_.read_end()});
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

// Every other call returns a look that the one before it has returned.
TEST_F(RingTicks, KindsCountALookOnce) {
  Observers observers({.pipe_fd = pipe_.read_end()});
  std::array<double, kSlotKinds> slots{};
  uint64_t last_ns = 0;
  const auto next_look = [&] {
    const auto frame = observers.ring_frame(monotonic_ns());
    if (frame->at_ns == last_ns) return false;
    last_ns = frame->at_ns;
    for (const Slot& slot : frame->slot)
      if (slot.kind != SlotKind::empty) ++slots[size_t(slot.kind)];
    return true;
  };
  ASSERT_EQ(pipe_.put(10), 10);
  for (int looks = 0; looks < 5; ++looks) ASSERT_TRUE(eventually(next_look));
  static char lent[4096];
  const iovec piece = {lent, 1};
  ASSERT_EQ(vmsplice(pipe_.write_end(), &piece, 1, 0), 1);
  for (int looks = 0; looks < 5; ++looks) ASSERT_TRUE(eventually(next_look));

  const auto kinds = observers.kinds();
  ASSERT_TRUE(kinds.has_value()) << kinds.reason;
  const double copies = slots[size_t(SlotKind::copy)], pages = slots[size_t(SlotKind::user_page)];
  EXPECT_EQ(copies, 10);
  EXPECT_GE(pages, 4);
  EXPECT_DOUBLE_EQ((*kinds)[size_t(SlotKind::user_page)], pages / (copies + pages));
}

// ---- a ring in motion -------------------------------------------------------

constexpr int kPipeBytes = 128 * 1024;

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof(set), &set) != 0) _exit(1);
}

// Puts the test itself on one CPU for a while.
class Pinned {
 public:
  explicit Pinned(int cpu) {
    sched_getaffinity(0, sizeof(before_), &before_);
    pin_to(cpu);
  }
  ~Pinned() { sched_setaffinity(0, sizeof(before_), &before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_;
};

// Two CPUs that we may use; fewer where there are fewer.
std::vector<int> two_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

// vmsplice into the pipe in a busy loop.
std::function<void()> writer_on(int cpu, const ScratchPipe& pipe) {
  return [cpu, fd = pipe.write_end(), memory = static_cast<void*>(nullptr)]() mutable {
    if (!memory) {
      pin_to(cpu);
      memory = mmap(nullptr, kPipeBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    }
    const iovec piece = {memory, kPipeBytes};
    if (vmsplice(fd, &piece, 1, SPLICE_F_NONBLOCK) < 0 && errno != EAGAIN) _exit(1);
  };
}

// splice to /dev/null in a busy loop.
std::function<void()> reader_on(int cpu, const ScratchPipe& pipe) {
  return [cpu, fd = pipe.read_end(), nowhere = -1]() mutable {
    if (nowhere < 0) {
      pin_to(cpu);
      nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    }
    const ssize_t moved = splice(fd, nullptr, nowhere, nullptr, kPipeBytes, SPLICE_F_NONBLOCK);
    if (moved < 0 && errno != EAGAIN) _exit(1);
  };
}

struct Seen {
  double used_share = 0;  // mean
  double torn_share = 0;
};

// Means over some frames, each look once.
Seen watch_frames(Observers& observers, int wanted) {
  Seen seen;
  int frames = 0;
  const uint64_t begin_ns = monotonic_ns(), end_ns = begin_ns + 60'000'000'000;
  for (uint64_t last_ns = begin_ns; frames < wanted && monotonic_ns() < end_ns; usleep(5'000)) {
    observers.poll(monotonic_ns());
    const auto frame = observers.ring_frame(monotonic_ns());
    if (!frame.has_value() || frame->at_ns <= last_ns) continue;
    last_ns = frame->at_ns;
    seen.used_share += double(frame->used) / double(frame->slots) / wanted;
    seen.torn_share += double(frame->torn) / wanted;
    ++frames;
  }
  EXPECT_EQ(frames, wanted);
  return seen;
}

// We displace whoever runs on our CPU, so that the other one fills or drains the
// ring. Frames must not show that: they agree with the occupancy.
TEST_F(RingTicks, FramesDoNotDependOnWhereWeRun) {
  const std::vector<int> cpus = two_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two CPUs";
  ASSERT_TRUE(pipe_.resize(kPipeBytes));
  Observers observers({.pipe_fd = pipe_.read_end()});
  const BusyChild writer(writer_on(cpus[0], pipe_));
  const BusyChild reader(reader_on(cpus[1], pipe_));
  for (const int cpu : cpus) {
    const Pinned pinned(cpu);
    usleep(100'000);
    observers.ring_frame(monotonic_ns());
    observers.restart(monotonic_ns());
    const Seen seen = watch_frames(observers, 300);
    const auto occupancy = observers.occupancy();
    ASSERT_TRUE(occupancy.has_value()) << occupancy.reason;
    EXPECT_NEAR(seen.used_share, occupancy->mean_share, 0.20) << "on CPU " << cpu;
    EXPECT_LT(seen.torn_share, 0.25);
  }
}

}  // namespace
}  // namespace pipetop

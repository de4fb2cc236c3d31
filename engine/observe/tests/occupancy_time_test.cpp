// Occupancy against processes that know for how long they left the ring in which state.
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <random>

#include "engine/base/clock.h"
#include "engine/base/handles.h"
#include "engine/observe/observers.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/support/schedstat_window.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

// How long the ring has been how full; written by one process, read by another.
struct Truth {
  std::atomic<uint64_t> empty_ns, full_ns;
};

class MeasuredOccupancy : public testing::Test {
 protected:
  void SetUp() override { PIPETOP_NEED(observers_.times(Role::writer)); }

  // Lets `child` be both roles' only process, and compares two seconds of what we see
  // with what it says; or more, if it has its CPU for so little that these are few rounds: it
  // counts a state at its end, so the first and the last one are off.
  void compare(const BusyChild& child) {
    observers_.watch(Role::writer, child.pid());
    observers_.watch(Role::reader, 0);
    ASSERT_TRUE(eventually([&] { return child.is_under_way(); }));
    observers_.restart(monotonic_ns());
    const uint64_t empty_ns = truth_->empty_ns, full_ns = truth_->full_ns,
                   begin_ns = monotonic_ns(), begin = child.times_done();
    const auto gone_ns = [&] { return truth_->empty_ns - empty_ns + truth_->full_ns - full_ns; };
    ASSERT_TRUE(eventually([&] {
      observers_.poll(monotonic_ns());
      return gone_ns() >= 2'000'000'000 && child.times_done() >= begin + 40;
    }));
    const Reading<Occupancy> seen = observers_.occupancy(monotonic_ns());
    const double full_share = double(truth_->full_ns - full_ns) / double(gone_ns());
    ASSERT_TRUE(seen.has_value()) << seen.reason;
    PIPETOP_FORCED(double(gone_ns()) > 0.9 * double(monotonic_ns() - begin_ns))
        << "the child left the ring as it was";
    // What the child does not count is filling and draining, and a round at either end; and a
    // host that takes a CPU away takes its ticks, too.
    EXPECT_NEAR(seen->full_share, full_share, 0.1) << seen->samples << " samples";
    EXPECT_NEAR(seen->empty_share, 1 - full_share, 0.1);
  }

  // One state of the ring, and how long it lasted.
  template <class Change, class Wait>
  static void hold(std::atomic<uint64_t>& ns, Change change, Wait wait) {
    change();
    const uint64_t begin_ns = monotonic_ns();
    wait();
    ns += monotonic_ns() - begin_ns;
  }
  void drain() {
    while (pipe_.take(4096) > 0) continue;
  }

  TestPipe pipe_{O_NONBLOCK};
  Mapping shared_{mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
                  4096};
  Truth* truth_ = static_cast<Truth*>(shared_.data());
  Observers observers_{{.pipe_fd = pipe_.out.get()}};
};

// The CPUs have nothing to do meanwhile, and may not tick.
TEST_F(MeasuredOccupancy, OfOneThatSleeps) {
  const BusyChild child([this] {
    hold(
        truth_->full_ns, [this] { pipe_.fill(); }, [] { usleep(5'000); });
    hold(
        truth_->empty_ns, [this] { drain(); }, [] { usleep(20'000); });
  });
  compare(child);
}

// For about so long, so as not to be in step with the ticks. Without the time in which it has no
// CPU: else it would change the ring whenever it gets one back, which a tick decides.
void spin(uint64_t ns) {
  constexpr uint64_t kAway_ns = 200'000;
  static std::minstd_rand random;
  const uint64_t wanted_ns = std::uniform_int_distribution(ns / 2, 3 * ns / 2)(random);
  for (uint64_t spun_ns = 0, last_ns = monotonic_ns(); spun_ns < wanted_ns;) {
    const uint64_t now_ns = monotonic_ns();
    if (now_ns - last_ns < kAway_ns) spun_ns += now_ns - last_ns;
    last_ns = now_ns;
  }
}

TEST_F(MeasuredOccupancy, OfOneThatSpins) {
  const BusyChild child([this] {
    hold(
        truth_->full_ns, [this] { pipe_.fill(); }, [] { spin(20'000'000); });
    hold(
        truth_->empty_ns, [this] { drain(); }, [] { spin(5'000'000); });
  });
  compare(child);
}

// Nobody but the two can see the ring: each runs on its CPU all the time.
TEST_F(MeasuredOccupancy, OfTwoThatSpin) {
  const BusyChild writer([this] { (void)pipe_.put(4096); });
  const BusyChild reader([this] { (void)lseek(pipe_.out.get(), 0, SEEK_CUR); });
  observers_.watch(Role::writer, writer.pid());
  observers_.watch(Role::reader, reader.pid());
  ASSERT_TRUE(eventually([&] { return pipe_.put(1) < 0; }));
  observers_.restart(monotonic_ns());
  const SchedstatWindow of_writer(writer.pid()), of_reader(reader.pid());
  Reading<Occupancy> seen;
  EXPECT_TRUE(eventually([&] {
    observers_.poll(monotonic_ns());
    seen = observers_.occupancy(monotonic_ns());
    return seen.has_value() && seen->samples >= 400;
  })) << seen.reason;
  // A host that takes their CPUs away takes their ticks, too.
  PIPETOP_FORCED(of_writer.sleeps() == 0 && of_reader.sleeps() == 0);
  EXPECT_NEAR(seen->full_share, 1.0, 0.01) << "the first stretch may have begun before it was full";
}

}  // namespace
}  // namespace pipetop

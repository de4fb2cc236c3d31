// The occupancy against somebody else's: poll(2) tells whether a pipe is empty or
// full without taking its lock. (FIONREAD waits for whoever works on the pipe, and
// so never sees it half way.) Writer and reader share a CPU here and the other one
// looks, for a process that has to displace one of the two sees the ring just after
// that one stopped.
#include <poll.h>
#include <sys/syscall.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/handles.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/process/placement.h"
#include "engine/process/worker_process.h"
#include "engine/tests/engine_fixture.h"
#include "engine/tests/run_first.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

UniqueFd pipe_end_of(pid_t pid) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), kWorkerFirstFd, 0)));
}

class PollingOracle {
 public:
  PollingOracle(const Snapshot& s, int cpu, std::span<const Cpu> allowed)
      : write_end_(pipe_end_of(s.worker(Role::writer).pid)),
        read_end_(pipe_end_of(s.worker(Role::reader).pid)),
        thread_([this, cpu, allowed](const std::stop_token& stop) {
          pin(0, cpu, allowed);
          while (!stop.stop_requested()) look();
        }) {}

  uint64_t looks() const { return looks_; }
  double empty_share() const { return double(empty_) / double(looks_); }
  double full_share() const { return double(full_) / double(looks_); }
  // Of the looks, those that came more than 2 ms after their time: whoever made them wait may have
  // changed the ring.
  double late_share() const { return double(late_) / double(looks_); }

 private:
  void look() {
    const uint64_t due_ns =
        monotonic_ns() + std::uniform_int_distribution<uint64_t>(2 * kMs, 8 * kMs)(random_);
    std::this_thread::sleep_for(std::chrono::nanoseconds(due_ns - monotonic_ns()));
    if (monotonic_ns() > due_ns + 2 * kMs) ++late_;
    pollfd ends[] = {{read_end_.get(), POLLIN, 0}, {write_end_.get(), POLLOUT, 0}};
    ::poll(ends, 2, 0);
    if ((ends[0].revents & POLLIN) == 0) ++empty_;
    if ((ends[1].revents & POLLOUT) == 0) ++full_;
    ++looks_;
  }

  UniqueFd write_end_, read_end_;
  std::minstd_rand random_;
  std::atomic<uint64_t> looks_ = 0, empty_ = 0, full_ = 0, late_ = 0;
  std::jthread thread_;  // last, and so the first to end
};

class MeasuredOccupancyOfRungs : public EngineTest,
                                 public testing::WithParamInterface<const char*> {};

TEST_P(MeasuredOccupancyOfRungs, AgreesWithAnOracle) {
  const std::vector<Cpu> cpus = read_topology();
  if (cpus.size() < 2) GTEST_SKIP() << "one CPU to run on and another one to look from";
  Settings settings = find_preset(article_presets(), GetParam())->settings;
  settings.pipe.placement = Placement::same_cpu;
  start(settings, BpfUse::automatic);
  const Snapshot begun = settle();
  PIPETOP_NEED(begun.event);
  const int theirs = begun.effective.settings.pipe.writer_cpu;
  const int ours = cpus[0].number == theirs ? cpus[1].number : cpus[0].number;

  // Looks when others let it would be no fair sample.
  if (!run_first(1)) GTEST_SKIP() << "may not run before all others; run as root";
  const PollingOracle oracle(begun, ours, cpus);
  run_first(0);
  engine->begin_segment("compare");
  until([&](const Snapshot&) { return oracle.looks() >= 600; });
  const Reading<Occupancy> occupancy = engine->segment().occupancy;
  ASSERT_TRUE(occupancy.has_value());
  PIPETOP_FORCED(oracle.late_share() < 0.2);
  // Five standard errors of 600 looks.
  EXPECT_NEAR(occupancy->empty_share, oracle.empty_share(), 0.1);
  EXPECT_NEAR(occupancy->full_share, oracle.full_share(), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Rungs, MeasuredOccupancyOfRungs,
                         testing::Values("write_read", "vmsplice_splice"));

}  // namespace
}  // namespace pipetop

// The estimate against what went through real pipes.
#include <sys/mman.h>
#include <sys/uio.h>

#include <atomic>

#include "engine/base/error.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/observe/tests/scan_fixture.h"
#include "engine/tests/support/test_pipe.h"
#include "engine/watch/pipe_history.h"

namespace pipetop {
namespace {

using observe::Gate;

constexpr double kTolerance = 0.05;

class RateEstimateBpf : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      scanner_ = observe::make_bpf_pipe_scanner();
    } catch (const Error& error) {
      refused_ = error.what();
    }
  }
  static void TearDownTestSuite() { scanner_.reset(); }

  void SetUp() override {
    PIPETOP_NEED(scanner_ ? Reading<int>::of(0) : Reading<int>::unavailable(refused_));
  }

  void look(PipeId id, std::span<const ProcessId> processes) {
    ++looks_;
    const PipeScan scan = scanner_->scan(processes);
    const ScannedPipe* pipe = observe::pipe_in(scan, id);
    ASSERT_TRUE(pipe);
    if (pipe->ring) estimate_.add(pipe->at_ns, *pipe->ring);
  }

  // By slots alone: what we read and write ourselves is not only the pipe's.
  void look_at_slots(PipeId id) {
    const ProcessId self = id_of_process(getpid());
    const PipeScan scan = scanner_->scan(std::span(&self, 1));
    RingCounts ring = *observe::pipe_in(scan, id)->ring;
    ring.sides.reset();
    estimate_.add(monotonic_ns(), ring);
  }

  // One that writes `total` bytes with `write_some`, and one that reads them, while we look. Nobody
  // else holds the pipe.
  void flow(uint64_t total, const std::function<ssize_t(int)>& write_some) {
    const Mapping shared(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 4096);
    const std::atomic_ref ready(*static_cast<uint64_t*>(shared.data()));
    TestPipe pipe;
    Gate gate;
    // Both move all of it, and stay.
    const auto move_all = [&](const std::function<ssize_t()>& move_some) {
      ready.fetch_add(1);
      gate.pass();
      uint64_t moved = 0;
      while (moved < total) {
        const ssize_t n = move_some();
        if (n <= 0) return 2;
        moved += static_cast<uint64_t>(n);
      }
      ready.fetch_add(1);
      return pause();
    };
    Child writer([&] {
      pipe.out.reset();
      return move_all([&] { return write_some(pipe.in.get()); });
    });
    Child reader([&] {
      pipe.in.reset();
      std::vector<char> taken(65536);
      return move_all([&] { return read(pipe.out.get(), taken.data(), taken.size()); });
    });
    pipe.close();
    const std::vector<ProcessId> both = {id_of_process(writer.pid()), id_of_process(reader.pid())};
    ASSERT_TRUE(eventually([&] { return ready.load() == 2; }));
    look(pipe.id, both);
    gate.open();
    const auto is_over = [&] { return ready.load() == 4 || writer.ended() || reader.ended(); };
    ASSERT_TRUE(eventually([&] { return look(pipe.id, both), is_over(); }));
    ASSERT_EQ(ready.load(), 4u);
    look(pipe.id, both);
    PIPETOP_FORCED(looks_ > 4) << "the pipe was looked at " << looks_ << " times";
    expect_near(total);
  }

  void expect_near(uint64_t total) {
    ASSERT_TRUE(estimate_.total_bytes());
    EXPECT_NEAR(*estimate_.total_bytes() / double(total), 1, kTolerance);
  }

  static inline std::unique_ptr<observe::PipeScanner> scanner_;
  static inline std::string refused_;
  RateEstimate estimate_;
  int looks_ = 0;
};

// Those that flow by themselves. What went through is known exactly.
class MeasuredRateEstimate : public RateEstimateBpf {};

// Writes and reads in turn, so that each slot holds what is written here.
TEST_F(RateEstimateBpf, SmallWrites) {
  for (const size_t bytes : {1, 100, 1000}) {
    TestPipe pipe{O_NONBLOCK};
    const PipeId id = pipe.id;
    estimate_ = {};
    look_at_slots(id);
    uint64_t total = 0;
    for (int i = 0; i < 1000; ++i, total += bytes) {
      ASSERT_EQ(pipe.put(bytes), ssize_t(bytes));
      ASSERT_EQ(pipe.take(4096), ssize_t(bytes));
      if (i % 100 == 99) look_at_slots(id);
    }
    expect_near(total);
  }
}

// A reader that is slower than the writer: writes share slots, and fill the ring.
TEST_F(RateEstimateBpf, SmallWritesThatFillTheRing) {
  for (const size_t bytes : {1, 100, 3000}) {
    TestPipe pipe{O_NONBLOCK};
    const PipeId id = pipe.id;
    estimate_ = {};
    look_at_slots(id);
    uint64_t total = 0;
    for (int i = 0; i < 50; ++i) {
      while (pipe.put(bytes) > 0) total += bytes;
      look_at_slots(id);
      while (pipe.take(4096) > 0) continue;
      look_at_slots(id);
    }
    expect_near(total);
  }
}

// With a reader that is away now and then, slots hold anything between a write and a page.
TEST_F(MeasuredRateEstimate, SingleBytes) {
  flow(300'000, [](int fd) { return write(fd, "x", 1); });
}

TEST_F(MeasuredRateEstimate, HundredBytes) {
  const std::string some(100, 'x');
  flow(10'000'000, [&](int fd) { return write(fd, some.data(), some.size()); });
}

TEST_F(MeasuredRateEstimate, Pages) {
  const std::string much(4096, 'x');
  flow(100 << 20, [&](int fd) { return write(fd, much.data(), much.size()); });
}

TEST_F(MeasuredRateEstimate, LargeWrites) {
  const std::string much(65536, 'x');
  flow(100 << 20, [&](int fd) { return write(fd, much.data(), much.size()); });
}

TEST_F(MeasuredRateEstimate, LentPages) {
  void* pages = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const Mapping owner(pages, 65536);
  flow(100 << 20, [&](int fd) {
    const iovec all = {pages, 65536};
    return vmsplice(fd, &all, 1, 0);
  });
}

TEST_F(MeasuredRateEstimate, SplicedFile) {
  const UniqueFd file(memfd_create("pipetop-rate", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(file.get(), 1 << 20), 0);
  flow(100 << 20, [&](int fd) {
    static loff_t offset = 0;
    if (offset == 1 << 20) offset = 0;
    return splice(file.get(), &offset, fd, nullptr, 1 << 20, 0);
  });
}

}  // namespace
}  // namespace pipetop

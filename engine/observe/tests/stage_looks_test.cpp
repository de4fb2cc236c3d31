// How full other people's pipes are.
#include <filesystem>

#include "engine/observe/tests/stage_fixture.h"

namespace pipetop::observe {
namespace {

using StageLooks = Stages;

constexpr uint64_t kEnough = 10;

// Looks at a ring that stands still.
RingLooks eventual_looks(StageClock& clock, PipeId pipe) {
  RingLooks found;
  EXPECT_TRUE(eventually([&] {
    for (const RingLooks& looks : clock.looks())
      if (looks.pipe == pipe) found = looks;
    return found.looks >= kEnough;
  }));
  return found;
}

TEST_F(StageLooks, ARingThatStandsStillIsAlwaysTheSame) {
  const OwnPipe empty, half, full;
  fill(full);
  for (int i = 0; i < 8; ++i) put(half, 4096);
  const ForeignProcess process;
  watch({process.pid()}, {&empty, &half, &full});
  const RingLooks of_empty = eventual_looks(*clock_, empty.id);
  EXPECT_EQ(of_empty.empty, of_empty.looks);
  EXPECT_EQ(of_empty.full, 0u);
  EXPECT_EQ(of_empty.used_share, 0.0);
  const RingLooks of_half = eventual_looks(*clock_, half.id);
  EXPECT_EQ(of_half.empty, 0u);
  EXPECT_EQ(of_half.full, 0u);
  EXPECT_EQ(of_half.used_share, double(of_half.looks) / 2);
  const RingLooks of_full = eventual_looks(*clock_, full.id);
  EXPECT_EQ(of_full.full, of_full.looks);
  EXPECT_EQ(of_full.empty, 0u);
  EXPECT_EQ(of_full.used_share, double(of_full.looks));
}

TEST_F(StageLooks, ARingThatFillsUpIsSeenSo) {
  const OwnPipe pipe;
  watch({getpid()}, {&pipe});
  const RingLooks before = eventual_looks(*clock_, pipe.id);
  fill(pipe);
  RingLooks after;
  EXPECT_TRUE(eventually([&] { return (after = looks_at(pipe.id)).full > kEnough; }));
  EXPECT_GE(after.empty, before.empty);
  EXPECT_LE(after.looks - before.looks, after.empty - before.empty + after.full + 1);
}

TEST_F(StageLooks, NobodyLooksAtAPipeThatIsGone) {
  const OwnPipe stays;
  OwnPipe goes;
  watch({getpid()}, {&stays, &goes});
  eventual_looks(*clock_, goes.id);
  goes.out.reset();
  goes.in.reset();
  const RingLooks last = looks_at(goes.id);
  const uint64_t seen = looks_at(stays.id).looks;
  EXPECT_TRUE(eventually([&] { return looks_at(stays.id).looks > seen + 2 * kEnough; }));
  EXPECT_LE(looks_at(goes.id).looks, last.looks + 1) << "one may have been under way";
  watch({getpid()}, {&stays});
  EXPECT_EQ(looks_at(goes.id).looks, 0u) << "it is no longer listed";
  EXPECT_GT(looks_at(stays.id).looks, seen) << "this one keeps its counts";
}

TEST_F(StageLooks, APlaceThatIsUsedAgainStartsFromZero) {
  {
    const OwnPipe first;
    fill(first);
    watch({getpid()}, {&first});
    eventual_looks(*clock_, first.id);
  }
  // One after the other gets each place.
  for (uint32_t i = 0; i < StageClock::kMostPipes + 1; ++i) {
    std::vector<ScannedPipe> none(1);
    none[0].id = {1, i + 1};
    clock_->watch({}, none);
  }
  const OwnPipe next;
  watch({getpid()}, {&next});
  const RingLooks looks = eventual_looks(*clock_, next.id);
  EXPECT_EQ(looks.empty, looks.looks);
}

// The inode is the same, and the pipe isn't.
TEST_F(StageLooks, AFifoThatIsOpenedAgainIsLookedAtAgain) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("pipetop-test-looks-" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto open_again = [&](OwnPipe& fifo) {
    fifo.in.reset();
    fifo.out.reset();
    fifo.out = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    fifo.in = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct stat status = {};
    ASSERT_EQ(fstat(fifo.out.get(), &status), 0);
    fifo.id = {static_cast<uint32_t>(status.st_dev), status.st_ino};
  };
  OwnPipe fifo;
  open_again(fifo);
  watch({getpid()}, {&fifo});
  const RingLooks before = eventual_looks(*clock_, fifo.id);
  EXPECT_EQ(before.empty, before.looks);
  open_again(fifo);
  fill(fifo);
  EXPECT_TRUE(eventually([&] { return looks_at(fifo.id).full > kEnough; }));
  unlink(path.c_str());
}

TEST_F(StageLooks, ARingOfAnotherSizeIsMeasuredByIt) {
  const OwnPipe pipe;
  ASSERT_EQ(fcntl(pipe.in.get(), F_SETPIPE_SZ, 1 << 20), 1 << 20);
  for (int i = 0; i < 64; ++i) put(pipe, 4096);
  watch({getpid()}, {&pipe});
  const RingLooks looks = eventual_looks(*clock_, pipe.id);
  EXPECT_EQ(looks.used_share, double(looks.looks) / 4);
}

}  // namespace
}  // namespace pipetop::observe

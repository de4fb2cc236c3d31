// How full other people's pipes are.
#include <filesystem>

#include "engine/observe/tests/stage_fixture.h"

namespace pipetop::observe {
namespace {

using StageTallies = Stages;

constexpr uint64_t kEnough = 10;

// Looks at a ring that stands still.
RingTally eventual_tally(StageObserver& observer, PipeId pipe) {
  RingTally found;
  EXPECT_TRUE(eventually([&] {
    for (const RingTally& samples : observer.samples())
      if (samples.pipe == pipe) found = samples;
    return found.samples >= kEnough;
  }));
  return found;
}

TEST_F(StageTallies, ARingThatStandsStillIsAlwaysTheSame) {
  const TestPipe empty, half, full;
  full.fill();
  for (int i = 0; i < 8; ++i) half.put(4096);
  const ForeignProcess process;
  watch({process.pid()}, {&empty, &half, &full});
  const RingTally of_empty = eventual_tally(*observer_, empty.id);
  EXPECT_EQ(of_empty.empty, of_empty.samples);
  EXPECT_EQ(of_empty.full, 0u);
  EXPECT_EQ(of_empty.used_share, 0.0);
  const RingTally of_half = eventual_tally(*observer_, half.id);
  EXPECT_EQ(of_half.empty, 0u);
  EXPECT_EQ(of_half.full, 0u);
  EXPECT_EQ(of_half.used_share, double(of_half.samples) / 2);
  const RingTally of_full = eventual_tally(*observer_, full.id);
  EXPECT_EQ(of_full.full, of_full.samples);
  EXPECT_EQ(of_full.empty, 0u);
  EXPECT_EQ(of_full.used_share, double(of_full.samples));
}

TEST_F(StageTallies, ARingThatFillsUpIsSeenSo) {
  const TestPipe pipe;
  watch({getpid()}, {&pipe});
  const RingTally before = eventual_tally(*observer_, pipe.id);
  pipe.fill();
  const RingTally filled = tally_of(pipe.id);
  EXPECT_GE(filled.empty, before.empty);
  RingTally after;
  EXPECT_TRUE(eventually([&] { return (after = tally_of(pipe.id)).full - filled.full > kEnough; }));
  EXPECT_LE(after.empty, filled.empty + 1) << "one may have been under way";
  EXPECT_LE(after.samples - filled.samples, after.full - filled.full + 2)
      << "and one may have come between two counts of the tally";
}

TEST_F(StageTallies, NobodyLooksAtAPipeThatIsGone) {
  const TestPipe stays;
  TestPipe goes;
  watch({getpid()}, {&stays, &goes});
  eventual_tally(*observer_, goes.id);
  goes.out.reset();
  goes.in.reset();
  const RingTally last = tally_of(goes.id);
  const uint64_t seen = tally_of(stays.id).samples;
  EXPECT_TRUE(eventually([&] { return tally_of(stays.id).samples > seen + 2 * kEnough; }));
  EXPECT_LE(tally_of(goes.id).samples, last.samples + 1) << "one may have been under way";
  watch({getpid()}, {&stays});
  EXPECT_EQ(tally_of(goes.id).samples, 0u) << "it is no longer listed";
  EXPECT_GT(tally_of(stays.id).samples, seen) << "this one keeps its counts";
}

TEST_F(StageTallies, APlaceThatIsUsedAgainStartsFromZero) {
  {
    const TestPipe first;
    first.fill();
    watch({getpid()}, {&first});
    eventual_tally(*observer_, first.id);
  }
  // One after the other gets each place.
  for (uint32_t i = 0; i < StageObserver::kMostPipes + 1; ++i) {
    std::vector<ScannedPipe> none(1);
    none[0].id = {1, i + 1};
    observer_->watch({}, none);
  }
  const TestPipe next;
  watch({getpid()}, {&next});
  const RingTally samples = eventual_tally(*observer_, next.id);
  EXPECT_EQ(samples.empty, samples.samples);
}

// The inode is the same, and the pipe isn't.
TEST_F(StageTallies, AFifoThatIsOpenedAgainIsLookedAtAgain) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("pipetop-test-samples-" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto open_again = [&](TestPipe& fifo) {
    fifo.in.reset();
    fifo.out.reset();
    fifo.out = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    fifo.in = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct stat status = {};
    ASSERT_EQ(fstat(fifo.out.get(), &status), 0);
    fifo.id = id_of(status);
  };
  TestPipe fifo;
  open_again(fifo);
  watch({getpid()}, {&fifo});
  const RingTally before = eventual_tally(*observer_, fifo.id);
  EXPECT_EQ(before.empty, before.samples);
  open_again(fifo);
  fifo.fill();
  EXPECT_TRUE(eventually([&] { return tally_of(fifo.id).full > kEnough; }));
  unlink(path.c_str());
}

TEST_F(StageTallies, ARingOfAnotherSizeIsMeasuredByIt) {
  const TestPipe pipe;
  ASSERT_EQ(fcntl(pipe.in.get(), F_SETPIPE_SZ, 1 << 20), 1 << 20);
  for (int i = 0; i < 64; ++i) pipe.put(4096);
  watch({getpid()}, {&pipe});
  const RingTally samples = eventual_tally(*observer_, pipe.id);
  EXPECT_EQ(samples.used_share, double(samples.samples) / 4);
}

}  // namespace
}  // namespace pipetop::observe

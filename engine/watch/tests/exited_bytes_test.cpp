// The bytes of pipes that are gone, on a machine that the test plays.
#include "engine/watch/exited_bytes.h"

#include "engine/watch/tests/watch_fixture.h"

namespace pipetop {
namespace {

constexpr ProcessId kWriter{10, 1}, kReader{11, 1};

PipeScan with_exits(std::vector<ExitedProcess> exited) {
  PipeScan scan;
  scan.exited = std::move(exited);
  return scan;
}

// 5 MB had gone through it, of which 1000 were queued; by what the sides counted then.
PipeLooks looks(uint64_t written = 5'000'000, uint64_t read = 4'999'000) {
  PipeLooks looks;
  looks.add({{{kWriter, written}}, {{kReader, read}}, 1000, 5'000'000}, true);
  return looks;
}

TEST(ExitedBytesTest, AreWhatBothSidesMovedSince) {
  ExitedBytes exited;
  exited.see(with_exits({{kWriter, 7, 0, 8'000'000}, {kReader, 9, 8'000'000, 0}}));
  const auto end = exited.end_of(looks());
  ASSERT_TRUE(end);
  EXPECT_EQ(end->bytes, 8'000'000u);
  EXPECT_EQ(end->at_ns, 9u);
}

TEST(ExitedBytesTest, WhoTeesOrSplicesTellsNothing) {
  ExitedBytes tee, splice, both;
  tee.see(with_exits({{kWriter, 7, 0, 16'000'000}, {kReader, 9, 8'000'000, 0}}));
  EXPECT_EQ(tee.end_of(looks(10'000'000))->bytes, 8'000'000u);
  splice.see(with_exits({{kWriter, 7, 0, 5'100'000}, {kReader, 9, 8'000'000, 0}}));
  EXPECT_EQ(splice.end_of(looks(100'000))->bytes, 8'000'000u);
  both.see(with_exits({{kWriter, 7, 0, 8'000'000}, {kReader, 9, 300'000, 0}}));
  EXPECT_EQ(both.end_of(looks(5'000'000, 0))->bytes, 8'000'000u);
  EXPECT_FALSE(both.end_of(looks(0, 0)));
}

TEST(ExitedBytesTest, WhatWasMovedBeforeTheFirstLookDoesNotMatter) {
  PipeLooks old;
  old.add({{{kWriter, 90'000'000}}, {{kReader, 7}}, 0, 0}, false);
  old.add({{{kWriter, 95'000'000}}, {{kReader, 8}}, 0, 5'000'000}, false);
  ExitedBytes exited;
  exited.see(with_exits({{kWriter, 7, 0, 98'000'000}}));
  EXPECT_EQ(exited.end_of(old)->bytes, 8'000'000u);
}

// One look saw it, and no slot said how much it held.
TEST(ExitedBytesTest, OfANewPipeWhoseBytesWereNotKnownTheSidesTellAll) {
  PipeLooks looks;
  looks.add({{{kWriter, 0}}, {{kReader, 0}}, 0, 0}, true);
  ExitedBytes exited;
  exited.see(with_exits({{kWriter, 7, 0, 3'000'000}, {kReader, 9, 3'007'000, 0}}));
  EXPECT_EQ(exited.end_of(looks)->bytes, 3'000'000u);
}

TEST(ExitedBytesTest, OneSideIsEnoughIfItIsKnownToTell) {
  ExitedBytes exited, other;
  exited.see(with_exits({{kReader, 9, 8'000'000, 0}}));
  EXPECT_EQ(exited.end_of(looks())->bytes, 8'000'000u);
  EXPECT_FALSE(exited.end_of(looks(5'000'000, 0)));
  EXPECT_FALSE(other.end_of(looks()));
}

TEST(ExitedBytesTest, WhoExitedLongBeforeIsKeptIfItIsAskedFor) {
  ExitedBytes exited;
  exited.see(with_exits({{kWriter, 7, 0, 8'000'000}}));
  exited.keep({});
  exited.see(with_exits({}));
  exited.keep({kWriter, kReader});
  exited.see(with_exits({}));
  EXPECT_TRUE(exited.end_of(looks()));
  exited.keep({});
  EXPECT_FALSE(exited.end_of(looks()));
}

struct EndedPipeTest : WatchTest {
  EndedPipeTest() {
    machine.add(10, "tar");
    machine.add(11, "gzip");
    id = machine.connect(100, 10, 11);
    machine.pipe(100).bytes_per_s = 1e6;
    machine.waits(10, WaitsFor::pipe_write, 1);
    machine.runs(11);
  }
  const Pipe& pipe(const std::shared_ptr<const Snapshot>& s) { return s->watched->pipes.at(0); }
  PipeId id;
};

TEST_F(EndedPipeTest, ItsTotalIsOfAllThatWentThroughIt) {
  tick();
  watcher->open(id);
  auto s = run(kSecond);
  const uint64_t before = *pipe(s).total_bytes;
  machine.exited = {{machine.process(10).id, machine.now_ns, 0, 3'000'000},
                    {machine.process(11).id, machine.now_ns, 3'000'000, 0}};
  machine.exit(10);
  machine.exit(11);
  s = run(kSecond);
  ASSERT_TRUE(pipe(s).closed);
  EXPECT_EQ(pipe(s).total_bytes, before + 3'000'000);
  EXPECT_TRUE(pipe(s).range);
}

TEST_F(EndedPipeTest, IfThatIsNotKnownNobodyKnowsHowFarOffItIs) {
  tick();
  watcher->open(id);
  auto s = run(kSecond);
  const auto before = pipe(s).total_bytes;
  ASSERT_TRUE(pipe(s).range);
  machine.exit(10);
  machine.exit(11);
  s = run(kSecond);
  ASSERT_TRUE(pipe(s).closed);
  EXPECT_EQ(pipe(s).total_bytes, before);
  EXPECT_FALSE(pipe(s).range);
}

}  // namespace
}  // namespace pipetop

// How pipes and processes are named, and numbers of theirs.
#include <gtest/gtest.h>

#include "tui/draw/text.h"
#include "tui/tests/fake_pipelines.h"
#include "tui/widgets/pipe_words.h"

namespace pipetop::tui {
namespace {

TEST(WatchWords, RatesHaveTheirUnit) {
  EXPECT_EQ(byte_rate_text(0), "0 B/s");
  EXPECT_EQ(byte_rate_text(999), "999 B/s");
  EXPECT_EQ(byte_rate_text(1000), "0.98 KiB/s");
  EXPECT_EQ(byte_rate_text(12.34 * 1024), "12.3 KiB/s");
  EXPECT_EQ(byte_rate_text(1.234 * 1024 * 1024 * 1024), "1.23 GiB/s");
  EXPECT_EQ(byte_rate_text(5e15), "4547 TiB/s");
}

TEST(WatchWords, SizesAndAgesAreShort) {
  EXPECT_EQ(short_bytes_text(65536), "64K");
  EXPECT_EQ(short_bytes_text(1.5 * 1024), "1.5K");
  EXPECT_EQ(short_bytes_text(0), "0");
  EXPECT_EQ(short_bytes_text(65000), "63K");
  EXPECT_EQ(short_bytes_text(1024 * 1024 - 1), "1M");
  EXPECT_EQ(age_text(59'999'999'999), "59s");
  EXPECT_EQ(age_text(3'600'000'000'000), "1h");
  EXPECT_EQ(age_text(90'000ull * 1'000'000'000), "1d");
}

TEST(WatchWords, AnEndKeepsItsNumbersWhateverTheRoom) {
  Pipeline chain = fake_chain(13);
  const auto end = [&](size_t pipe, Role role, int cols) {
    return end_text(chain.pipes[pipe], chain.stages, role, cols);
  };
  EXPECT_EQ(end(0, Role::writer, 16), "tar 4001:1");
  EXPECT_EQ(end(0, Role::writer, 60), "tar c --one-file-system /home 4001:1");
  EXPECT_EQ(end(11, Role::reader, 16), "a_long_n… 4013:0");
  for (int cols = 12; cols < 70; ++cols)
    for (size_t pipe = 0; pipe < chain.pipes.size(); ++pipe)
      EXPECT_LE(columns_of(end(pipe, Role::writer, cols)), cols);
}

TEST(WatchWords, WhoNeverMovedAByteIsInBrackets) {
  Pipeline chain = fake_chain(2);
  chain.pipes[0].writers[0].active = false;
  EXPECT_EQ(end_text(chain.pipes[0], chain.stages, Role::writer, 60), "(tar 4001:1)");
  EXPECT_EQ(end_text(chain.pipes[0], chain.stages, Role::writer, 11), "(t… 4001:1)");
}

TEST(WatchWords, NobodyIsNotUnknown) {
  Pipe pipe = fake_chain(2).pipes[0];
  pipe.readers.clear();
  pipe.kernel_readers = 0;
  EXPECT_EQ(end_text(pipe, {}, Role::reader, 20), "closed");
  EXPECT_EQ(ends_text(pipe, {}, Role::reader), "nobody");
  pipe.kernel_readers.reset();
  EXPECT_EQ(end_text(pipe, {}, Role::reader, 20), "unknown");
  pipe.kernel_readers = 2;
  EXPECT_EQ(ends_text(pipe, {}, Role::reader), "unknown");
}

TEST(WatchWords, EveryStateHasASignAndAWord) {
  const PipeId here{1, 10}, other{1, 11};
  const auto at = [&](StageState state) { return sign_of(state, here, Role::writer); };
  EXPECT_EQ(at({StageState::Kind::running, WaitsFor::none, {}}).sign, "R");
  EXPECT_EQ(at({StageState::Kind::runnable, WaitsFor::none, {}}).sign, "r");
  EXPECT_EQ(at({StageState::Kind::waiting, WaitsFor::pipe_write, here}).sign, "B");
  EXPECT_EQ(at({StageState::Kind::waiting, WaitsFor::pipe_write, other}).sign, "b");
  EXPECT_EQ(at({StageState::Kind::waiting, WaitsFor::disk, {}}).word, "disk");
  EXPECT_EQ(at({StageState::Kind::waiting, WaitsFor::stopped, {}}).sign, "T");
  for (int wait = 0; wait < kWaits; ++wait) {
    const StageState state{StageState::Kind::waiting, static_cast<WaitsFor>(wait), here};
    EXPECT_LE(columns_of(at(state).word), 10);
    EXPECT_FALSE(sign_of(state).word.empty());
  }
}

}  // namespace
}  // namespace pipetop::tui

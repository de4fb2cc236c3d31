// How pipes and processes are named, and numbers of theirs.
#include "tui/widgets/pipes.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/numbers.h"
#include "tui/draw/text.h"
#include "tui/tests/fake_pipelines.h"

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

// From a writer to a reader.
PipeRow row(uint64_t inode, const char* writer, const char* reader) {
  PipeRow row;
  row.pipe.id.inode = inode;
  row.pipeline = inode;
  for (const char* name : {writer, reader}) {
    Stage stage;
    stage.id.pid = pid_t(100 * inode + row.stages.size());
    stage.name = name;
    stage.command = std::string("/bin/") + name;
    StageEnd end;
    end.stage = row.stages.size();
    (name == writer ? row.pipe.writers : row.pipe.readers).push_back(end);
    row.stages.push_back(stage);
  }
  return row;
}

PipeRow with_rate(PipeRow row, double bytes_per_s) {
  row.pipe.bytes_per_s = Reading<double>::of(bytes_per_s);
  return row;
}

std::vector<uint64_t> shown(const std::vector<PipeRow>& rows, PipeSort by,
                            std::string_view filter = "") {
  std::vector<uint64_t> inodes;
  for (const PipeRow* row : pipes_shown(rows, by, filter)) inodes.push_back(row->pipe.id.inode);
  return inodes;
}

using Inodes = std::vector<uint64_t>;

TEST(PipeOrder, TheFastestIsFirstAndTheUnknownLast) {
  const std::vector<PipeRow> rows = {row(1, "a", "b"), with_rate(row(2, "a", "b"), 0),
                                     with_rate(row(3, "a", "b"), 5e6),
                                     with_rate(row(4, "a", "b"), 5e6), row(5, "a", "b")};
  EXPECT_EQ(shown(rows, PipeSort::rate), (Inodes{3, 4, 2, 1, 5})) << "equal ones stay in order";
}

TEST(PipeOrder, HasEveryColumn) {
  std::vector<PipeRow> rows = {row(1, "seq", "gzip"), row(2, "cat", "wc"), row(3, "tar", "cat")};
  rows[0].pipe.capacity = 1 << 16;
  rows[1].pipe.capacity = 1 << 20;
  rows[0].pipe.queued = 100;
  rows[2].pipe.queued = 0;
  rows[0].pipe.level =
      Reading<RingLevel>::of({.mean_share = 0.5, .empty_share = 0.1, .full_share = 0.6});
  rows[1].pipe.level =
      Reading<RingLevel>::of({.mean_share = 0.5, .empty_share = 0.9, .full_share = 0.0});
  for (size_t i = 0; i < rows.size(); ++i) rows[i].pipe.first_seen_ns = 10 + i;
  EXPECT_EQ(shown(rows, PipeSort::size), (Inodes{2, 1, 3}));
  EXPECT_EQ(shown(rows, PipeSort::queued), (Inodes{1, 3, 2}));
  EXPECT_EQ(shown(rows, PipeSort::full), (Inodes{1, 2, 3}));
  EXPECT_EQ(shown(rows, PipeSort::empty), (Inodes{2, 1, 3}));
  EXPECT_EQ(shown(rows, PipeSort::age), (Inodes{3, 2, 1})) << "the youngest first";
  EXPECT_EQ(shown(rows, PipeSort::writer), (Inodes{2, 1, 3}));
  EXPECT_EQ(shown(rows, PipeSort::reader), (Inodes{3, 1, 2}));
  EXPECT_EQ(pipe_sort_names().size(), size_t(PipeSort::pipeline) + 1);
  EXPECT_EQ(pipe_sort_names()[size_t(PipeSort::writer)], "writer");
}

TEST(PipeOrder, ANameIsOfWhoMovesTheData) {
  std::vector<PipeRow> rows = {row(1, "bash", "x"), row(2, "m", "x")};
  Stage stage;
  stage.name = "zcat";
  StageEnd end;
  end.stage = rows[0].stages.size();
  rows[0].stages.push_back(stage);
  rows[0].pipe.writers.front().active = false;
  rows[0].pipe.writers.push_back(end);
  EXPECT_EQ(shown(rows, PipeSort::writer), (Inodes{2, 1}));
  rows[1].pipe.writers.clear();
  EXPECT_EQ(shown(rows, PipeSort::writer), (Inodes{1, 2}));
}

TEST(PipeOrder, PipelinesStayTogether) {
  std::vector<PipeRow> rows = {with_rate(row(1, "a", "b"), 10), with_rate(row(2, "c", "d"), 30),
                               with_rate(row(3, "b", "e"), 40), row(4, "d", "f")};
  rows[0].pipeline = rows[2].pipeline = 7;
  rows[1].pipeline = rows[3].pipeline = 3;
  EXPECT_EQ(shown(rows, PipeSort::pipeline), (Inodes{1, 3, 2, 4}));
}

TEST(PipeOrder, AFilterKnowsNamesCommandsPidsAndPaths) {
  std::vector<PipeRow> rows = {row(1, "seq", "gzip"), row(2, "cat", "wc")};
  rows[1].pipe.path = "/tmp/Queue";
  rows[0].stages[0].command = "seq 1 9000";
  EXPECT_EQ(shown(rows, PipeSort::rate, "GZ"), Inodes{1});
  EXPECT_EQ(shown(rows, PipeSort::rate, "9000"), Inodes{1});
  EXPECT_EQ(shown(rows, PipeSort::rate, "201"), Inodes{2}) << "a pid";
  EXPECT_EQ(shown(rows, PipeSort::rate, "queue"), Inodes{2});
  EXPECT_EQ(shown(rows, PipeSort::rate, "/bin/"), (Inodes{1, 2}));
  EXPECT_TRUE(shown(rows, PipeSort::rate, "nothing").empty());
}

}  // namespace

}  // namespace pipetop::tui

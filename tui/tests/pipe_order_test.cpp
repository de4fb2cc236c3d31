#include <gtest/gtest.h>

#include <string>

#include "tui/widgets/pipe_columns.h"

namespace pipetop::tui {
namespace {

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

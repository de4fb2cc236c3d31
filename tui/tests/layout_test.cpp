#include "tui/dashboard/layout.h"

#include <gtest/gtest.h>

#include <array>

namespace pipetop::tui {
namespace {

bool overlap(const Rect& a, const Rect& b) {
  return a.row < b.end_row() && b.row < a.end_row() && a.col < b.end_col() && b.col < a.end_col();
}

void check(int rows, int cols) {
  const Layout l = make_layout(rows, cols);
  SCOPED_TRACE(testing::Message() << cols << "x" << rows);
  ASSERT_EQ(l.fits, rows >= kMinRows && cols >= kMinCols);
  if (!l.fits) return;
  const std::array rects = {l.title, l.throughput, l.ring, l.writer, l.reader, l.message, l.keys};
  for (size_t i = 0; i < rects.size(); ++i) {
    ASSERT_FALSE(rects[i].empty()) << i;
    ASSERT_TRUE(rects[i].row >= 0 && rects[i].col >= 0) << i;
    ASSERT_TRUE(rects[i].end_row() <= rows && rects[i].end_col() <= cols) << i;
    for (size_t k = 0; k < i; ++k) ASSERT_FALSE(overlap(rects[i], rects[k])) << i << " and " << k;
  }
}

TEST(Layout, HoldsAtEverySize) {
  for (int rows = 1; rows <= 80; ++rows) {
    for (int cols = 1; cols <= 250; ++cols) check(rows, cols);
  }
}

TEST(Layout, NothingEssentialIsMissing) {
  for (int rows = kMinRows; rows <= 80; ++rows) {
    for (int cols = kMinCols; cols <= 250; ++cols) {
      const Layout l = make_layout(rows, cols);
      SCOPED_TRACE(testing::Message() << cols << "x" << rows);
      for (const Rect& picture : {l.throughput, l.ring}) {
        ASSERT_GE(inside(l, picture).rows, 4);
        ASSERT_GE(inside(l, picture).cols, 28);
      }
      for (const Rect& worker : {l.writer, l.reader}) {
        ASSERT_GE(inside(l, worker).rows, 5);
        ASSERT_GE(inside(l, worker).cols, 28);
      }
    }
  }
}

TEST(Layout, ThePictureAboveAListLinesUpWithIt) {
  const Layout l = make_layout(40, 120);
  EXPECT_EQ(l.throughput.col, l.writer.col);
  EXPECT_EQ(l.throughput.cols, l.writer.cols);
  EXPECT_EQ(l.ring.cols, l.reader.cols);
}

TEST(Layout, NarrowAndTallIsStacked) {
  const Layout l = make_layout(50, 64);
  EXPECT_EQ(l.ring.cols, 64);
  EXPECT_EQ(l.reader.cols, 64);
  EXPECT_GT(l.ring.row, l.throughput.row);
}

}  // namespace
}  // namespace pipetop::tui

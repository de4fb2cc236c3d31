#include "engine/watch/window_bytes.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/judge/tests/made_pipelines.h"

namespace pipetop {
namespace {

class WindowBytesTest : public testing::Test {
 protected:
  WindowBytesTest() {
    now.now_ns = 100 * kSecond;
    now.watched = made_chain({"a", "b"});
    pipe().first_seen_ns = 90 * kSecond;
    pipe().total_bytes = 1'000'000;
    window.begin(now);
    now.now_ns = 105 * kSecond;
    pipe().total_bytes = 43'000'000;
    pipe().bytes_per_s = Reading<double>::of(93'000);
  }
  Pipe& pipe() { return now.watched->pipes[0]; }

  Snapshot now;
  WindowBytes window;
};

TEST_F(WindowBytesTest, ARateIsTheBytesOfTheWindow) {
  window.apply(now, true);
  EXPECT_EQ(pipe().total_bytes, 42'000'000u);
  EXPECT_NEAR(*pipe().bytes_per_s, 42e6 / 5, 1);
}

TEST_F(WindowBytesTest, AClosedPipeHasItsBytesToo) {
  pipe().closed = true;
  pipe().bytes_per_s = Reading<double>::unavailable("closed");
  window.apply(now, false);
  EXPECT_EQ(pipe().total_bytes, 43'000'000u);
  EXPECT_NEAR(*pipe().bytes_per_s, 42e6 / 5, 1);
}

TEST_F(WindowBytesTest, UnknownBytesStayUnknown) {
  pipe().total_bytes.reset();
  window.apply(now, true);
  EXPECT_EQ(*pipe().bytes_per_s, 93'000) << "as it was";
}

TEST_F(WindowBytesTest, BytesOfBeforeAnIntervalAreNotItsOwn) {
  pipe().id.inode += 1;
  window.apply(now, false);
  EXPECT_EQ(*pipe().bytes_per_s, 93'000) << "it was there, and its bytes not known";
  pipe().first_seen_ns = 101 * kSecond;
  window.apply(now, false);
  EXPECT_NEAR(*pipe().bytes_per_s, 43e6 / 5, 1);
}

TEST_F(WindowBytesTest, TheTableHasThemToo) {
  now.watched.reset();
  PipeRow row;
  row.pipe.total_bytes = 1000;
  now.table.rows = {row};
  window.begin(now);
  const Snapshot shared = now;
  now.now_ns += 2 * kSecond;
  now.table.rows.own()[0].pipe.total_bytes = 5000;
  window.apply(now, true);
  EXPECT_NEAR(*now.table.rows[0].pipe.bytes_per_s, 2000, 1e-6);
  EXPECT_EQ(shared.table.rows[0].pipe.total_bytes, 1000u);
}

}  // namespace
}  // namespace pipetop

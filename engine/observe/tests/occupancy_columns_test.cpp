// The history of the occupancy against rings whose state is known.
#include "engine/observe/observers.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

class OccupancyColumns : public testing::Test {
 protected:
  void SetUp() override { PIPETOP_NEED(observers_.ring_frame(monotonic_ns())); }

  // Columns with samples whose whole stretch lies after this instant.
  std::vector<OccupancyColumn> next_columns(size_t wanted) {
    std::vector<OccupancyColumn> columns;
    const uint64_t from_ns = monotonic_ns();
    EXPECT_TRUE(eventually([&] {
      observers_.poll(monotonic_ns());
      const auto history = observers_.occupancy_history();
      if (!history) return false;
      columns.clear();
      uint64_t begin_ns = 0;
      for (const OccupancyColumn& column : history->columns) {
        if (column.samples > 0 && begin_ns >= from_ns) columns.push_back(column);
        begin_ns = column.end_ns;
      }
      return columns.size() >= wanted;
    }));
    return columns;
  }

  TestPipe pipe_{O_NONBLOCK};
  Observers observers_{{.pipe_fd = pipe_.out.get()}};
};

TEST_F(OccupancyColumns, AStoppedReaderIsFullAStoppedWriterEmpty) {
  {
    const BusyChild writer([&] { (void)pipe_.put(4096); });
    ASSERT_TRUE(eventually([&] { return pipe_.put(1) < 0; }));
    for (const OccupancyColumn& column : next_columns(5))
      EXPECT_EQ(column.count.back(), column.samples) << "nobody reads";
  }
  ASSERT_TRUE(pipe_.resize(256 * 4096));  // and on it goes
  {
    const BusyChild reader([&] { (void)pipe_.take(4096); });
    ASSERT_TRUE(eventually([&] { return pipe_.take(1) < 0; }));
    for (const OccupancyColumn& column : next_columns(5))
      EXPECT_EQ(column.count.front(), column.samples) << "nobody writes";
  }
  EXPECT_GE(observers_.occupancy_history()->columns.size(), 10u);
}

TEST_F(OccupancyColumns, GoOnAcrossARestart) {
  const size_t before = next_columns(2).size();
  observers_.restart(monotonic_ns());
  EXPECT_GE(observers_.occupancy_history()->columns.size(), before);
  pipe_.fill();
  for (const OccupancyColumn& column : next_columns(2))
    EXPECT_EQ(column.count.back(), column.samples);
}

}  // namespace
}  // namespace pipetop

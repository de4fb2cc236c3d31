#include <gtest/gtest.h>

#include "engine/model/snapshot.h"

namespace pipetop {
namespace {

Snapshot two_roles() {
  Snapshot s;
  for (const Role role : kBothRoles) {
    WorkerReadings& worker = s.workers[static_cast<size_t>(role)];
    worker.role = role;
    worker.name = role == Role::writer ? "writer" : "reader";
    worker.pid = role == Role::writer ? 11 : 12;
    worker.shares = {Reading<double>::of(0.25), Reading<double>::of(0.05),
                     Reading<double>::of(0.7)};
  }
  s.effective.pipe.bytes = s.ring.bytes = 65536;
  s.throughput.over_1s = Reading<double>::of(2);
  OccupancyColumn column;
  column.count.front() = column.count.back() = 100;
  OccupancyHistory history;
  history.columns.push_back(column);
  s.ring.history = std::make_shared<const OccupancyHistory>(history);
  s.verdict = Reading<Verdict>::of({Verdict::Kind::reader, "the writer waits for room 70 %"});
  return s;
}

TEST(PipelineOf, OurRolesAreStagesWithOurPipeBetweenThem) {
  const Pipeline pipeline = pipeline_of(two_roles(), 1024);
  ASSERT_EQ(pipeline.stages.size(), 2u);
  EXPECT_EQ(pipeline.title(), "writer | reader");
  EXPECT_EQ(pipeline.stages[0].shares->writing, 0.7);
  EXPECT_EQ(pipeline.stages[1].shares->reading, 0.7);
  EXPECT_EQ(pipeline.stages[1].state.wait, WaitsFor::pipe_read);
  ASSERT_EQ(pipeline.pipes.size(), 1u);
  EXPECT_EQ(pipeline.pipes[0].capacity, 65536u);
  EXPECT_EQ(*pipeline.pipes[0].bytes_per_s, 2048);
  ASSERT_EQ(pipeline.pipes[0].fill.size(), 1u);
  EXPECT_EQ(pipeline.pipes[0].fill.front().rate, 0.5);
  EXPECT_EQ(pipeline.verdict.stage, pipeline.stages[1].id);
  EXPECT_EQ(pipeline.verdict.because, "the writer waits for room 70 %");
}

TEST(PipelineOf, HasOnlyWhatThereIs) {
  Snapshot s = two_roles();
  s.effective.pipe.bytes = 0;
  EXPECT_TRUE(pipeline_of(s, 1).pipes.empty());
  s.workers[1].name.clear();
  EXPECT_EQ(pipeline_of(s, 1).stages.size(), 1u);
  s.watched.emplace().window_ns = 5;
  EXPECT_EQ(pipeline_of(s, 1).window_ns, 5u);
}

}  // namespace
}  // namespace pipetop

#include "engine/model/control_block.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "engine/worker/worker_loop.h"
#include "engine/workload/percpu/insert_worker.h"

namespace pipetop {
namespace {

TEST(ControlBlock, AnOwnCommandComesBackAsItWas) {
  auto block = std::make_unique<ControlBlock>();
  const percpu::InsertCommand sent = {
      .kind = 1, .no_percpu = 1, .rules = 30'000, .batch = 128, .measure = 1, .life = 7};
  const uint32_t generation = publish_command(*block, command_of(Order::flow, sent));
  const auto [read, command] = read_command(*block);
  EXPECT_EQ(read, generation);
  EXPECT_EQ(command.order, Order::flow);
  EXPECT_EQ(command_of(Order::flow, words_of<percpu::InsertCommand>(command.words)), command);
}

TEST(ControlBlock, AReasonIsCutWhereThereIsNoRoom) {
  WorkerReport report;
  EXPECT_EQ(report.reason_text(), "");
  set_reason(report, "why; remedy");
  EXPECT_EQ(report.reason_text(), "why; remedy");
  set_reason(report, std::string(1000, 'x'));
  EXPECT_EQ(report.reason_text().size(), report.reason.size() - 1);
  set_reason(report, "short");
  EXPECT_EQ(report.reason_text(), "short");
}

TEST(WorkerLife, AnErrorsWordsAreTheReason) {
  auto refuse = [](int, uint32_t, WorkerReport&) -> bool {
    throw Error("no such thing; load it", Exit::unsupported);
  };
  const WorkerReport refused = prepared(0, 0, refuse);
  EXPECT_EQ(refused.state, WorkerState::refused);
  EXPECT_EQ(refused.error_number, uint64_t{EOPNOTSUPP});
  EXPECT_EQ(refused.reason_text(), "no such thing; load it");

  auto block = std::make_unique<ControlBlock>();
  const uint32_t generation = publish_command(*block, {});
  publish_report(*block, generation, {.state = WorkerState::flowing});
  auto fail = [](int, uint32_t) -> LoopEnd { throw Error("it broke; mend it", Exit::refused); };
  EXPECT_FALSE(worked(*block, 0, generation, fail));
  const auto failed = read_report(*block, generation);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->state, WorkerState::failed);
  EXPECT_EQ(failed->reason_text(), "it broke; mend it");
}

// The command that is published while a worker prepares for another one is seen as newer.
TEST(WorkerLife, APreparationKnowsTheGenerationOfItsCommand) {
  auto block = std::make_unique<ControlBlock>();
  const percpu::InsertCommand none;
  const uint32_t first = publish_command(*block, command_of(Order::flow, none));
  uint32_t told = 0;
  bool newer_seen = false;
  const int status = run_worker<percpu::InsertCommand>(
      *block,
      [&](const percpu::InsertCommand&, uint32_t generation, WorkerReport&) {
        publish_command(*block, command_of(Order::quit, none));
        told = generation;
        newer_seen = is_changed(*block, generation);
        return true;
      },
      [](const percpu::InsertCommand&, uint32_t) { return LoopEnd::changed; });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(told, first);
  EXPECT_TRUE(newer_seen);
}

TEST(WorkerLife, AFailureAmendsTheReport) {
  auto block = std::make_unique<ControlBlock>();
  const uint32_t generation = publish_command(*block, {});
  WorkerReport report;
  report.state = WorkerState::flowing;
  put_words(report.words, percpu::InsertReport{.memory = {.slab_bytes = 127.5}});
  publish_report(*block, generation, report);
  publish_failure(*block, EPERM, "it broke; mend it");
  const auto read = read_report(*block, generation);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state, WorkerState::failed);
  EXPECT_EQ(read->error_number, uint64_t{EPERM});
  EXPECT_EQ(read->reason_text(), "it broke; mend it");
  EXPECT_EQ(words_of<percpu::InsertReport>(read->words).memory.slab_bytes, 127.5);
}

}  // namespace
}  // namespace pipetop

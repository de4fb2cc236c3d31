// The observers go off and on while data flows.
#include <bpf/bpf.h>

#include <filesystem>
#include <fstream>

#include "engine/base/handles.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

namespace fs = std::filesystem;

// How often the BPF programs of this process have run, while the kernel counts that.
uint64_t program_runs() {
  uint64_t runs = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream info(entry.path());
    for (std::string word; info >> word;)
      if (uint64_t count = 0; word == "run_cnt:" && info >> count) runs += count;
  }
  return runs;
}

size_t open_descriptors() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

class ObserversBpfTest : public EngineTest {
 protected:
  Snapshot observed() {
    return until([](const Snapshot& s) {
      const auto& functions = s.worker(Role::writer).functions;
      return functions.status == ReadingStatus::unavailable ||
             (functions.has_value() && s.ring.frame.has_value() && s.ring.kinds.has_value() &&
              s.ring.occupancy.has_value() &&
              s.worker(Role::writer).times_source == "sched_switch");
    });
  }
  Snapshot switched(Observing observers) {
    settings.observers = observers;
    engine->apply(settings, observers == Observing::on ? "observers on" : "observers off", "O");
    return flow();
  }

  Settings settings;
};

void expect_nothing_seen(const Snapshot& s) {
  std::vector<std::string> reasons = {s.event.reason, s.ring.frame.reason, s.ring.occupancy.reason,
                                      s.ring.kinds.reason};
  for (const WorkerReadings& worker : s.workers) {
    EXPECT_FALSE(worker.functions.has_value() || worker.blocked.has_value());
    reasons.insert(reasons.end(),
                   {worker.functions.reason, worker.blocked.reason, worker.wakeups_per_s.reason});
  }
  for (const std::string& reason : reasons) EXPECT_EQ(reason, kObserversOff);
  EXPECT_EQ(s.verdict.reason, "observers are off");
  EXPECT_FALSE(s.event.has_value() || s.ring.frame.has_value() || s.ring.occupancy.has_value() ||
               s.ring.kinds.has_value() || s.verdict.has_value());
}

TEST_F(ObserversBpfTest, OffTheyDoNothingAndOnAgainTheyBeginAnew) {
  const UniqueFd counting(bpf_enable_stats(BPF_STATS_RUN_TIME));
  start(settings, BpfUse::automatic);
  const Snapshot before = observed();
  PIPETOP_NEED(before.worker(Role::writer).functions);
  ASSERT_TRUE(counting);
  const size_t descriptors = open_descriptors();
  ASSERT_GT(program_runs(), 0u);

  switched(Observing::off);
  const uint64_t runs = program_runs();
  const Snapshot off = until([](const Snapshot& s) {  // /proc tells of the processes now
    return s.verdict.reason == "observers are off" &&
           s.worker(Role::reader).shares.on_cpu.has_value();
  });
  expect_nothing_seen(off);
  EXPECT_EQ(off.worker(Role::reader).times_source, "schedstat");
  EXPECT_EQ(program_runs(), runs);

  switched(Observing::on);
  const Snapshot again = observed();
  EXPECT_GT(program_runs(), runs);
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(again.worker(Role::writer).pid, before.worker(Role::writer).pid);
  EXPECT_EQ(again.worker(Role::writer).restarts, 0u);
}

TEST_F(ObserversBpfTest, EachTimeHasASegmentOfItsOwn) {
  start(settings, BpfUse::automatic);
  PIPETOP_NEED(observed().worker(Role::writer).functions);
  switched(Observing::off);
  switched(Observing::on);
  observed();
  engine->begin_segment("end");
  const auto closed = engine->tick().throughput.segments;
  ASSERT_EQ(closed.size(), 3u);
  const Segment &seen = *closed[0], &unseen = *closed[1], &again = *closed[2];
  EXPECT_EQ(unseen.label, "observers off");
  EXPECT_EQ(unseen.requested.observers, Observing::off);
  EXPECT_EQ(unseen.effective.observers, Observing::off);
  EXPECT_GT(unseen.items, 0u);
  EXPECT_EQ(unseen.occupancy.reason, kObserversOff);
  for (const SegmentRole& role : unseen.roles) EXPECT_EQ(role.functions.reason, kObserversOff);
  for (const Segment* segment : {&seen, &again}) {
    EXPECT_EQ(segment->requested.observers, Observing::on);
    EXPECT_TRUE(segment->occupancy.has_value());
  }
}

TEST_F(ObserversBpfTest, StartedOffTheyCanBeSwitchedOn) {
  settings.observers = Observing::off;
  start(settings, BpfUse::automatic);
  expect_nothing_seen(
      until([](const Snapshot& s) { return s.verdict.reason == "observers are off"; }));
  engine->suspend();
  engine->resume();  // does not switch them on
  EXPECT_EQ(engine->tick().event.reason, kObserversOff);
  switched(Observing::on);
  const Snapshot on = observed();
  PIPETOP_NEED(on.worker(Role::writer).functions);
}

}  // namespace
}  // namespace pipetop

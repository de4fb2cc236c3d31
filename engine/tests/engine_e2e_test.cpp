// Changes, deaths and stops, with real workers on a real pipe.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/system_files.h"
#include "engine/tests/engine_fixture.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

TEST_F(EngineTest, EveryRungFlowsAsItSays) {
  start({});
  for (const Preset& preset : article_presets()) {
    engine->apply(preset.settings, preset.name);
    const Snapshot s = flow();
    EXPECT_EQ(s.effective.settings.pipe.write_with, preset.settings.pipe.write_with) << preset.name;
    EXPECT_EQ(s.effective.pipe.bytes,
              preset.settings.pipe.write_with == WriteWith::vmsplice ? 131072u : 65536u);
    EXPECT_EQ(writer(s).state, ProcessState::flowing);
    EXPECT_EQ(reader(s).state, ProcessState::flowing);
    EXPECT_EQ(writer(s).restarts + reader(s).restarts, 0u);
  }
}

TEST_F(EngineTest, WhatTheWriterCountsTheReaderGets) {
  start({});
  flow();
  engine->stop();
  const Snapshot s = engine->tick();
  // What is left in the ring was written but not read.
  EXPECT_GE(writer(s).counts.items, reader(s).counts.items);
  EXPECT_LE(writer(s).counts.items - reader(s).counts.items, s.effective.pipe.bytes);
}

// The other side is stopped, so the worker under change sleeps in its syscall.
TEST_F(EngineTest, AWorkerAsleepInASyscallTakesAChange) {
  for (const Role asleep : {Role::writer, Role::reader}) {
    start(stamped());
    const Snapshot running = flow();
    const Role other = asleep == Role::writer ? Role::reader : Role::writer;
    ::kill(running.worker(other).pid, SIGSTOP);
    // Asleep when its calls no longer come back.
    uint64_t calls = 0;
    int same = 0;
    until([&](const Snapshot& s) {
      const uint64_t now = s.worker(asleep).counts.syscalls;
      same = now == calls ? same + 1 : 0;
      calls = now;
      return same > 20;
    });
    Settings changed = stamped();
    changed.pipe.write_with = WriteWith::vmsplice;
    changed.pipe.reader_wait = Wait::poll;
    engine->apply(changed, "asleep");
    until([&](const Snapshot& s) { return s.worker(asleep).state == ProcessState::flowing; });
    ::kill(running.worker(other).pid, SIGCONT);
    const Snapshot s = flow();
    expect_all_in_order(s);
    EXPECT_EQ(writer(s).restarts + reader(s).restarts, 0u);
  }
}

TEST_F(EngineTest, ARingShrinksUnderAFullLoad) {
  Settings s = stamped();
  s.pipe.write_with = WriteWith::vmsplice;
  s.pipe.pipe_size = 1 << 20;
  start(s);
  EXPECT_EQ(flow().effective.pipe.bytes, 1u << 20);
  s.pipe.pipe_size = 4096;
  engine->apply(s, "shrink");
  const Snapshot shrunk = flow();
  EXPECT_EQ(shrunk.effective.pipe.bytes, 4096u);
  EXPECT_EQ(shrunk.ring.slots, 1u);
  expect_all_in_order(shrunk);
}

TEST_F(EngineTest, AShrinkWaitsForAStoppedReader) {
  Settings s;
  s.pipe.pipe_size = 1 << 20;
  start(s);
  const Snapshot running = flow();
  ::kill(reader(running).pid, SIGSTOP);
  // By then the ring holds more than the new one can: a reader that was stopped just
  // after its call has taken at most a buffer that it has not counted.
  until([](const Snapshot& t) {
    return reader(t).state == ProcessState::stopped &&
           writer(t).counts.items >=
               reader(t).counts.items + t.effective.settings.pipe.buf_size + 2 * kPageBytes;
  });
  s.pipe.pipe_size = 4096;
  engine->apply(s, "shrink");
  const Snapshot waiting = until([](const Snapshot& t) {
    return std::ranges::any_of(t.effective.mismatches, [](const Mismatch& m) {
      return m.reason.find("drain") != m.reason.npos;
    });
  });
  EXPECT_FALSE(waiting.effective.settled);
  ::kill(reader(running).pid, SIGCONT);
  EXPECT_EQ(flow().effective.pipe.bytes, 4096u);
}

TEST_F(EngineTest, AKilledWorkerIsNamedAndReplaced) {
  for (const Role killed : {Role::writer, Role::reader}) {
    start(stamped());
    const Snapshot before = flow();
    ::kill(before.worker(killed).pid, SIGKILL);
    const Snapshot named = until([&](const Snapshot& s) { return s.worker(killed).restarts == 1; });
    ASSERT_FALSE(named.notices.empty());
    EXPECT_EQ(named.notices.back().text,
              std::string(to_text(killed)) +
                  " died: signal 9 (killed by somebody, or for lack of memory)");
    const Snapshot after = flow();
    EXPECT_NE(after.worker(killed).pid, before.worker(killed).pid);
    expect_all_in_order(after);
    EXPECT_EQ(after.integrity->epochs, 1u);
  }
}

// Whoever notices the death: a tick may do so before the event loop's turn comes.
TEST_F(EngineTest, ADeathThatATickNoticesIsSeenThrough) {
  start({});
  ::kill(writer(flow()).pid, SIGKILL);
  Snapshot s;
  EXPECT_TRUE(eventually([&] {
    s = engine->tick();
    return writer(s).restarts > 0 && s.effective.settled;
  }));
  EXPECT_EQ(writer(s).restarts, 1u);
}

TEST_F(EngineTest, AStoppedWorkerIsShownAsStopped) {
  start({});
  const Snapshot s = flow();
  ::kill(writer(s).pid, SIGSTOP);
  const Snapshot stopped =
      until([](const Snapshot& t) { return t.workers[0].state == ProcessState::stopped; });
  EXPECT_NE(writer(stopped).state_reason.find("kill -CONT"), std::string::npos);
  ::kill(writer(s).pid, SIGCONT);
  flow();
}

// It cannot finish.
TEST_F(EngineTest, AStoppedWorkerDoesNotOutliveTheEnd) {
  start({});
  const pid_t stopped = reader(flow()).pid;
  ::kill(stopped, SIGSTOP);
  until([](const Snapshot& s) { return reader(s).state == ProcessState::stopped; });
  engine->stop();
  EXPECT_NE(::kill(stopped, 0), 0);
  EXPECT_NE(engine->tick().notices.back().text.find("is killed"), std::string::npos);
}

// A cgroup whose processes the kernel holds up; of v1, even if they are killed.
class Freezer {
 public:
  explicit Freezer(const std::string& root, bool v2)
      : folder_(root + "/pipetop-test-" + std::to_string(::getpid())), v2_(v2) {
    there_ = ::mkdir(folder_.c_str(), 0755) == 0 &&
             ::access((folder_ + (v2 ? "/cgroup.freeze" : "/freezer.state")).c_str(), W_OK) == 0;
  }
  ~Freezer() {
    if (there_) freeze(false);
    eventually([this] { return ::rmdir(folder_.c_str()) == 0 || errno != EBUSY; });
  }
  bool there() const { return there_; }
  void take(pid_t pid) const { std::ofstream(folder_ + "/cgroup.procs") << pid; }
  void freeze(bool on) const {
    if (v2_)
      std::ofstream(folder_ + "/cgroup.freeze") << on;
    else
      std::ofstream(folder_ + "/freezer.state") << (on ? "FROZEN" : "THAWED");
  }
  bool frozen() const {
    const std::string file = v2_ ? "/cgroup.events" : "/freezer.state";
    return read_head(folder_ + file).find(v2_ ? "frozen 1" : "FROZEN") != std::string::npos;
  }

 private:
  std::string folder_;
  bool v2_, there_ = false;
};

TEST_F(EngineTest, AFrozenWorkerDoesNotOutliveTheEndOrItIsSaid) {
  int tried = 0;
  for (const auto& [root, v2] : {std::pair{"/sys/fs/cgroup", true},
                                 {"/sys/fs/cgroup/unified", true},
                                 {"/sys/fs/cgroup/freezer", false}}) {
    const Freezer freezer(root, v2);
    if (!freezer.there()) continue;
    ++tried;
    start({});
    const pid_t frozen = writer(flow()).pid;
    freezer.take(frozen);
    freezer.freeze(true);
    ASSERT_TRUE(eventually([&] { return freezer.frozen(); })) << root;
    EXPECT_TRUE(eventually([&] {
      const WorkerReadings view = writer(engine->tick());
      return view.state == ProcessState::stopped &&
             view.state_reason.starts_with("by its frozen cgroup; echo");
    })) << root;
    engine->stop();
    const std::string said = engine->tick().notices.back().text;
    if (::kill(frozen, 0) == 0)
      EXPECT_NE(said.find("is left behind"), std::string::npos) << root << said;
    else
      EXPECT_NE(said.find("is killed"), std::string::npos) << root << said;
    engine.reset();
    freezer.freeze(false);
    EXPECT_TRUE(eventually([&] { return ::waitpid(frozen, nullptr, WNOHANG) != 0; })) << root;
  }
  if (tried == 0) GTEST_SKIP() << "no cgroup can be frozen here";
}

// Whether this machine has some or not.
TEST_F(EngineTest, MissingHugetlbPagesNameTheRemedy) {
  Settings s;
  s.pipe.pages = Pages::hugetlb;
  start(s);
  const Snapshot after = flow();
  const auto missing = std::ranges::find(after.effective.mismatches, "pages", &Mismatch::knob);
  const bool granted = missing == after.effective.mismatches.end();
  EXPECT_EQ(granted, after.effective.settings.pipe.pages == Pages::hugetlb);
  if (!granted) {
    EXPECT_NE(missing->reason.find("nr_hugepages"), std::string::npos) << missing->reason;
  }
}

TEST_F(EngineTest, ASuspendedPipeMovesNothingAndGoesOn) {
  start({});
  flow();
  engine->suspend();
  const Snapshot held = until([&, last = uint64_t{0}, same = 0](const Snapshot& s) mutable {
    same = s.throughput.total_items == last ? same + 1 : 0;
    last = s.throughput.total_items;
    return same > 10;
  });
  EXPECT_NE(writer(held).state, ProcessState::stopped);  // it is we who sleep
  engine->resume();
  flow();
}

TEST_F(EngineTest, AnImpossibleChangeIsRefusedAndNothingHappens) {
  start({});
  flow();
  Settings s;
  s.pipe.placement = Placement::cpus;
  EXPECT_THROW(engine->apply(s, "no cpus"), Error);
  EXPECT_EQ(flow().requested, Settings{});
}

TEST_F(EngineTest, WithoutBpfTheRestGoesOn) {
  start({});
  flow();
  const Snapshot s = until([](const Snapshot& t) {
    return t.workers[0].shares.on_cpu.has_value() && t.ring.occupancy.has_value();
  });
  EXPECT_EQ(writer(s).functions.status, ReadingStatus::unavailable);
  EXPECT_NE(writer(s).functions.reason, "");
  EXPECT_EQ(s.ring.frame.status, ReadingStatus::unavailable);
  EXPECT_EQ(s.ring.occupancy->source, "FIONREAD 10 Hz");
}

}  // namespace
}  // namespace pipetop

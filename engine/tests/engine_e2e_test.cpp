// The engine with real workers on a real pipe. Nothing here is timed: tests wait
// for states, with a bound so generous that only a hang reaches it.
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/error.h"
#include "engine/knobs.h"
#include "engine/presets.h"

namespace pipetop {
namespace {

constexpr uint64_t kBound = 60'000'000'000;

class EngineTest : public testing::Test {
 protected:
  void start(const Settings& settings) {
    EngineOptions options;
    options.settings = settings;
    options.bpf = BpfUse::off;
    engine = std::make_unique<Engine>(options);
  }

  // Serves the engine until `done` holds of a snapshot.
  Snapshot until(const std::function<bool(const Snapshot&)>& done) {
    const uint64_t begin = monotonic_ns();
    for (;;) {
      pollfd events = {engine->event_fd(), POLLIN, 0};
      ::poll(&events, 1, 5);
      engine->handle_events();
      Snapshot s = engine->tick();
      if (done(s)) return s;
      if (monotonic_ns() - begin > kBound) {
        ADD_FAILURE() << "waited a minute for a state that did not come";
        return s;
      }
    }
  }
  Snapshot settle() {
    return until([](const Snapshot& s) { return s.effective.settled; });
  }
  // Settled, and `bytes` more have arrived since.
  Snapshot flow(uint64_t bytes = 16 << 20) {
    const uint64_t from = settle().throughput.total_bytes;
    return until([&](const Snapshot& s) { return s.throughput.total_bytes >= from + bytes; });
  }
  static const WorkerView& writer(const Snapshot& s) { return s.worker(Role::writer); }
  static const WorkerView& reader(const Snapshot& s) { return s.worker(Role::reader); }

  std::unique_ptr<Engine> engine;
};

Settings stamped() {
  Settings s;
  s.payload = Payload::stamped;
  return s;
}

void expect_all_in_order(const Snapshot& s) {
  ASSERT_TRUE(s.integrity.has_value()) << s.integrity.reason;
  EXPECT_GT(s.integrity->verified, 0u);
  EXPECT_EQ(s.integrity->misplaced, 0u);
  EXPECT_EQ(s.integrity->torn, 0u);
}

// A worker that was killed may leave pages of the epoch before; else there are none.
void expect_no_damage(const Snapshot& s) {
  expect_all_in_order(s);
  EXPECT_EQ(s.integrity->unstamped, 0u);
  EXPECT_EQ(s.integrity->epochs, 0u);
}

TEST_F(EngineTest, EveryRungFlowsAsItSays) {
  start({});
  for (const Preset& preset : article_presets()) {
    engine->apply(preset.settings, preset.name);
    const Snapshot s = flow();
    EXPECT_EQ(s.effective.settings.write_with, preset.settings.write_with) << preset.name;
    EXPECT_EQ(s.effective.pipe_bytes,
              preset.settings.write_with == WriteWith::vmsplice ? 131072u : 65536u);
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
  EXPECT_GE(writer(s).bytes, reader(s).bytes);
  EXPECT_LE(writer(s).bytes - reader(s).bytes, s.effective.pipe_bytes);
}

TEST_F(EngineTest, StampsArriveInOrder) {
  for (const WriteWith technique : {WriteWith::write, WriteWith::vmsplice}) {
    Settings s = stamped();
    s.write_with = technique;
    start(s);
    expect_all_in_order(flow(256 << 20));
  }
}

TEST_F(EngineTest, ABigRingOnSmallBuffersTearsNothing) {
  Settings s = stamped();
  s.write_with = WriteWith::vmsplice;
  s.buf_size = 8192;
  s.pipe_size = 1 << 20;
  start(s);
  expect_all_in_order(flow(256 << 20));
  s.buffers = Buffers::same;
  engine->apply(s, "same");
  expect_all_in_order(flow(256 << 20));
}

// A valid random value for a random knob.
void turn_random_knob(Settings& s, std::mt19937& random) {
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const Knob& k = knobs()[below(knobs().size())];
  switch (k.kind) {
    case KnobKind::choice:
    case KnobKind::boolean: {
      const auto value = k.values[below(k.values.size())];
      if (value != "cpus" && value != "single") k.set(s, value);
      break;
    }
    case KnobKind::size:
      k.set(s, std::to_string(4096ull << below(9)));
      break;
    case KnobKind::cpu:
      k.set(s, "0");
      break;
  }
  if (s.check_huge_page) s.touch_pages = true;
}

constexpr uint64_t kChangeEveryNs = 20'000'000;

// A longer soak than the usual one, in seconds.
uint64_t random_changes() {
  const char* seconds = std::getenv("PIPETOP_TOGGLE_SECONDS");
  return seconds ? std::strtoull(seconds, nullptr, 10) * 1'000'000'000 / kChangeEveryNs : 1000;
}

// Every 20 ms of served events a change, with data flowing in between. Changes
// come whether or not the one before has settled. `single` alone may damage pages.
TEST_F(EngineTest, AThousandRandomChangesLoseNothing) {
  std::mt19937 random(20260120);
  Settings s = stamped();
  start(s);
  for (uint64_t i = 0; i < random_changes(); ++i) {
    turn_random_knob(s, random);
    engine->apply(s, "random");
    const uint64_t until_ns = monotonic_ns() + kChangeEveryNs;
    until([&](const Snapshot&) { return monotonic_ns() >= until_ns; });
  }
  s.read_with = ReadWith::read;
  s.payload = Payload::stamped;
  s.writer_wait = s.reader_wait = Wait::block;
  s.slow_motion = false;
  engine->apply(s, "end");
  const Snapshot end = flow(64 << 20);
  expect_no_damage(end);
  EXPECT_EQ(writer(end).restarts + reader(end).restarts, 0u);
}

TEST_F(EngineTest, TheHazardTearsPages) {
  start(find_preset(built_in_presets(), "hazard")->settings);
  const Snapshot s = until([](const Snapshot& t) {
    return t.integrity.has_value() && t.integrity->torn_per_s.has_value() &&
           *t.integrity->torn_per_s > 0 && *t.integrity->misplaced_per_s > 0;
  });
  EXPECT_EQ(s.integrity->unstamped, 0u);
  Settings safe = s.requested;
  safe.buffers = Buffers::separate;
  engine->apply(safe, "safe");
  until([](const Snapshot& t) {
    return t.effective.settled && t.integrity->torn_per_s.has_value() &&
           *t.integrity->torn_per_s == 0 && *t.integrity->misplaced_per_s == 0;
  });
}

TEST_F(EngineTest, NobodyVerifiesWhatGoesToDevNull) {
  Settings s = find_preset(built_in_presets(), "hazard")->settings;
  s.read_with = ReadWith::splice;
  start(s);
  const Snapshot after = flow();
  EXPECT_EQ(after.integrity.status, ReadingStatus::unavailable);
  EXPECT_TRUE(after.integrity.reason.starts_with("unverifiable: nobody reads the bytes"));
}

// A few operations with each technique and wait, then free again.
TEST_F(EngineTest, SlowMotionMovesLittleAndLosesNothing) {
  start(stamped());
  for (const WriteWith technique : {WriteWith::write, WriteWith::vmsplice})
    for (const Wait wait : {Wait::block, Wait::poll, Wait::busy, Wait::busy_poll}) {
      Settings s = stamped();
      s.write_with = technique;
      s.writer_wait = s.reader_wait = wait;
      s.slow_motion = true;
      engine->apply(s, "slow");
      const Snapshot begin = settle();
      const Snapshot slow = until([&](const Snapshot& t) {
        return t.throughput.total_bytes > begin.throughput.total_bytes + t.effective.pipe_bytes / 8;
      });
      EXPECT_EQ(slow.effective.settings.buf_size, slow.effective.pipe_bytes / 16);
      s.slow_motion = false;
      engine->apply(s, "free");
      expect_no_damage(flow());
    }
}

// By FIONREAD, which is no sampler: the ring is seen full, and empty again.
TEST_F(EngineTest, SlowMotionFillsTheRingAndDrainsIt) {
  Settings s;
  s.slow_motion = true;
  start(s);
  const Snapshot full = until([](const Snapshot& t) {
    return t.ring.occupancy.has_value() && t.ring.occupancy->full_share > 0;
  });
  const double full_empty = full.ring.occupancy->empty_share * double(full.ring.occupancy->samples);
  until([&](const Snapshot& t) {
    const Occupancy& o = *t.ring.occupancy;
    return o.empty_share * double(o.samples) > full_empty + 0.5;
  });
}

// The ring is far too full for its new size, and slow motion would take minutes.
TEST_F(EngineTest, AShrinkDoesNotWaitInSlowMotion) {
  Settings s = stamped();
  s.write_with = WriteWith::vmsplice;
  s.pipe_size = 1 << 20;
  s.buf_size = 4096;
  start(s);
  flow();
  s.slow_motion = true;
  s.pipe_size = 4096;
  engine->apply(s, "shrink");
  EXPECT_EQ(settle().effective.pipe_bytes, 4096u);
  s.slow_motion = false;
  engine->apply(s, "free");
  expect_no_damage(flow());
}

TEST_F(EngineTest, AWorkerMovedFromOutsideIsAMismatch) {
  start({});
  const Snapshot running = flow();
  const Settings& placed = running.effective.settings;
  if (placed.writer_cpu == kNoCpu || placed.writer_cpu == placed.reader_cpu)
    GTEST_SKIP() << "there is but one CPU";
  const auto moved = [](const Snapshot& s) {
    return std::ranges::any_of(s.effective.mismatches,
                               [](const Mismatch& m) { return m.knob == "placement"; });
  };
  EXPECT_FALSE(moved(running));
  cpu_set_t elsewhere;
  CPU_ZERO(&elsewhere);
  CPU_SET(placed.reader_cpu, &elsewhere);
  ASSERT_EQ(::sched_setaffinity(writer(running).pid, sizeof elsewhere, &elsewhere), 0);
  EXPECT_EQ(until(moved).effective.settings.writer_cpu, placed.reader_cpu);
  Settings again;
  again.gift = true;
  engine->apply(again, "pins it again");
  const Snapshot pinned = until([](const Snapshot& s) {
    return s.effective.settled && s.workers[0].context_switches_per_s.has_value();
  });
  EXPECT_FALSE(moved(pinned));
}

TEST_F(EngineTest, PagesThatNobodyTouchedAreNotSaidToBeHuge) {
  Settings s;
  s.pages = Pages::thp;
  s.touch_pages = false;
  start(s);
  const Snapshot untouched = flow();
  EXPECT_FALSE(untouched.effective.huge.has_value());
  EXPECT_NE(untouched.effective.huge.reason.find("never touched"), std::string::npos)
      << untouched.effective.huge.reason;
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
      const uint64_t now = s.worker(asleep).syscalls;
      same = now == calls ? same + 1 : 0;
      calls = now;
      return same > 20;
    });
    Settings changed = stamped();
    changed.write_with = WriteWith::vmsplice;
    changed.reader_wait = Wait::poll;
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
  s.write_with = WriteWith::vmsplice;
  s.pipe_size = 1 << 20;
  start(s);
  EXPECT_EQ(flow().effective.pipe_bytes, 1u << 20);
  s.pipe_size = 4096;
  engine->apply(s, "shrink");
  const Snapshot shrunk = flow();
  EXPECT_EQ(shrunk.effective.pipe_bytes, 4096u);
  EXPECT_EQ(shrunk.ring.slots, 1u);
  expect_all_in_order(shrunk);
}

TEST_F(EngineTest, AShrinkWaitsForAStoppedReader) {
  Settings s;
  s.pipe_size = 1 << 20;
  start(s);
  const Snapshot running = flow();
  ::kill(reader(running).pid, SIGSTOP);
  until([](const Snapshot& t) { return t.workers[1].state == ProcessState::stopped; });
  s.pipe_size = 4096;
  engine->apply(s, "shrink");
  const Snapshot waiting = until([](const Snapshot& t) {
    return std::ranges::any_of(t.effective.mismatches, [](const Mismatch& m) {
      return m.reason.find("drain") != m.reason.npos;
    });
  });
  EXPECT_FALSE(waiting.effective.settled);
  ::kill(reader(running).pid, SIGCONT);
  EXPECT_EQ(flow().effective.pipe_bytes, 4096u);
}

TEST_F(EngineTest, AKilledWorkerIsNamedAndReplaced) {
  for (const Role killed : {Role::writer, Role::reader}) {
    start(stamped());
    const Snapshot before = flow();
    ::kill(before.worker(killed).pid, SIGKILL);
    const Snapshot named = until([&](const Snapshot& s) { return s.worker(killed).restarts == 1; });
    ASSERT_FALSE(named.notices.empty());
    EXPECT_EQ(named.notices.back().text, std::string(to_text(killed)) + " died: signal 9 (Killed)");
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
  const uint64_t begin = monotonic_ns();
  Snapshot s;
  do {
    ::poll(nullptr, 0, 5);
    s = engine->tick();
  } while ((writer(s).restarts == 0 || !s.effective.settled) && monotonic_ns() - begin < kBound);
  EXPECT_EQ(writer(s).restarts, 1u);
  EXPECT_TRUE(s.effective.settled);
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

TEST_F(EngineTest, MissingHugetlbPagesNameTheRemedy) {
  Settings s;
  s.pages = Pages::hugetlb;
  start(s);
  const Snapshot after = flow();
  if (after.effective.settings.pages == Pages::hugetlb) return;  // this machine has some
  ASSERT_FALSE(after.effective.mismatches.empty());
  EXPECT_NE(after.effective.mismatches[0].reason.find("nr_hugepages"), std::string::npos);
}

TEST_F(EngineTest, ASuspendedPipeMovesNothingAndGoesOn) {
  start({});
  flow();
  engine->suspend();
  const Snapshot held = until([&, last = uint64_t{0}, same = 0](const Snapshot& s) mutable {
    same = s.throughput.total_bytes == last ? same + 1 : 0;
    last = s.throughput.total_bytes;
    return same > 10;
  });
  EXPECT_NE(writer(held).state, ProcessState::stopped);  // it is we who sleep
  engine->resume();
  flow();
}

TEST_F(EngineTest, HugeIsTrueExactlyForHugePages) {
  start({});
  Settings s;
  s.write_with = WriteWith::vmsplice;
  for (const Pages pages : {Pages::k4, Pages::thp}) {
    s.pages = pages;
    engine->apply(s, "pages");
    const Snapshot settled = settle();
    ASSERT_TRUE(settled.effective.huge.has_value()) << settled.effective.huge.reason;
    EXPECT_EQ(*settled.effective.huge, settled.effective.settings.pages != Pages::k4);
  }
}

TEST_F(EngineTest, AnImpossibleChangeIsRefusedAndNothingHappens) {
  start({});
  flow();
  Settings s;
  s.placement = Placement::cpus;
  EXPECT_THROW(engine->apply(s, "no cpus"), Error);
  EXPECT_EQ(flow().requested, Settings{});
}

TEST_F(EngineTest, WithoutBpfTheRestGoesOn) {
  start({});
  flow();
  const Snapshot s = until([](const Snapshot& t) {
    return t.workers[0].on_cpu_share.has_value() && t.ring.occupancy.has_value();
  });
  EXPECT_EQ(writer(s).functions.status, ReadingStatus::unavailable);
  EXPECT_NE(writer(s).functions.reason, "");
  EXPECT_EQ(s.ring.frame.status, ReadingStatus::unavailable);
  EXPECT_EQ(s.ring.occupancy->source, "FIONREAD 10 Hz");
}

}  // namespace
}  // namespace pipetop

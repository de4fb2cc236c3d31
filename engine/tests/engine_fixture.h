// The engine with real workers on a real pipe. Nothing is timed: tests wait for states.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/tests/eventually.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {

class EngineTest : public testing::Test {
 protected:
  void start(const Settings& settings, BpfUse bpf = BpfUse::off) {
    EngineOptions options;
    options.settings = settings;
    options.bpf = bpf;
    engine = std::make_unique<Engine>(options);
  }

  // Serves the engine until `done` holds of a snapshot; returns that one, or the last.
  Snapshot until(const std::function<bool(const Snapshot&)>& done) {
    Snapshot s;
    EXPECT_TRUE(eventually([&] { return done(s = serve()); }, [] {}))
        << "waited for a state that did not come";
    return s;
  }
  // Whatever happens within 5 ms, and what it looks like then.
  Snapshot serve() {
    pollfd events = {engine->event_fd(), POLLIN, 0};
    ::poll(&events, 1, 5);
    engine->handle_events();
    return engine->tick();
  }
  Snapshot settle() {
    return until([](const Snapshot& s) { return s.effective.settled; });
  }
  // Settled, and `bytes` more have arrived since; where workers hardly get a CPU, what
  // two seconds bring, but some rings at least.
  Snapshot flow(uint64_t bytes = 16 << 20) {
    const Snapshot settled = settle();
    const uint64_t from = settled.throughput.total_items;
    const uint64_t least = std::min(bytes, kFewRings * settled.effective.pipe.bytes);
    return until([&](const Snapshot& s) {
      const bool is_slow = s.now_ns > settled.now_ns + 2'000'000'000;
      return s.throughput.total_items >= from + (is_slow ? least : bytes);
    });
  }
  static const WorkerReadings& writer(const Snapshot& s) { return s.worker(Role::writer); }
  static const WorkerReadings& reader(const Snapshot& s) { return s.worker(Role::reader); }

  std::unique_ptr<Engine> engine;

 private:
  static constexpr uint64_t kFewRings = 4;
};

inline constexpr WriteWith kAllWriteWith[] = {WriteWith::write, WriteWith::vmsplice, WriteWith::tee,
                                              WriteWith::splice};
inline constexpr Wait kAllWaits[] = {Wait::block, Wait::poll, Wait::busy, Wait::busy_poll,
                                     Wait::adaptive};

// Names a test for each.
inline std::string name_of_wait(const testing::TestParamInfo<Wait>& wait) {
  return std::string(to_text(wait.param));
}

inline Settings stamped() {
  Settings s;
  s.pipe.payload = Payload::stamped;
  return s;
}

inline void expect_all_in_order(const Snapshot& s) {
  ASSERT_TRUE(s.integrity.has_value()) << s.integrity.reason;
  EXPECT_GT(s.integrity->verified, 0u);
  EXPECT_EQ(s.integrity->misplaced, 0u);
  EXPECT_EQ(s.integrity->torn, 0u);
}

// A worker that was killed may leave pages of the epoch before; else there are none.
inline void expect_no_damage(const Snapshot& s) {
  expect_all_in_order(s);
  EXPECT_EQ(s.integrity->unstamped, 0u);
  EXPECT_EQ(s.integrity->epochs, 0u);
}

}  // namespace pipetop

// The engine with real workers on a real pipe. Nothing is timed: tests wait for
// states, with a bound so generous that only a hang reaches it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <functional>
#include <memory>

#include "engine/clock.h"
#include "engine/engine.h"

namespace pipetop {

inline constexpr uint64_t kBound = 60'000'000'000;

class EngineTest : public testing::Test {
 protected:
  void start(const Settings& settings, BpfUse bpf = BpfUse::off) {
    EngineOptions options;
    options.settings = settings;
    options.bpf = bpf;
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

inline constexpr WriteWith kAllWriteWith[] = {WriteWith::write, WriteWith::vmsplice, WriteWith::tee,
                                              WriteWith::splice};
inline constexpr Wait kAllWaits[] = {Wait::block, Wait::poll, Wait::busy, Wait::busy_poll,
                                     Wait::adaptive};

inline Settings stamped() {
  Settings s;
  s.payload = Payload::stamped;
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

// An engine, and the event loop of whoever measures on it.
#pragma once

#include <cstdint>

#include "engine/base/event_loop.h"
#include "engine/engine.h"
#include "engine/experiment/interrupts.h"

namespace pipetop {

class Session {
 public:
  // `interrupts` outlives it. Throws Error when there can be no engine.
  Session(const EngineOptions& options, Interrupts& interrupts);

  Engine& engine() { return engine_; }
  Interrupts& interrupts() const { return interrupts_; }

  // Serves the engine until something happened, but not for longer than `ns`; wait()
  // always for so long. False when the measurement is to end now.
  bool serve(uint64_t ns);
  bool wait(uint64_t ns);

  // Ticks it 20 times a second, as the dashboard's frames do; the last tick is at the
  // end.
  Snapshot run_for(uint64_t ns);

  // Until all settings are in force.
  Snapshot run_until_settled();

 private:
  Interrupts& interrupts_;
  Engine engine_;
  EventLoop loop_;
};

}  // namespace pipetop

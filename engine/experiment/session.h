// An engine with an event loop, for measuring.
#pragma once

#include <cstdint>

#include "engine/base/event_loop.h"
#include "engine/engine.h"
#include "engine/experiment/interrupts.h"

namespace pipetop {

class Session {
 public:
  // `interrupts` must outlive it. Throws Error if the engine cannot be created.
  Session(const EngineOptions& options, Interrupts& interrupts);

  Engine& engine() { return engine_; }
  Interrupts& interrupts() const { return interrupts_; }

  // Serves the engine until something happens, but for at most `ns`; wait() always for this long.
  // False if the measurement should end now.
  bool serve(uint64_t ns);
  bool wait(uint64_t ns);

  // Ticks it 20 times a second, as the dashboard's frames do; the last tick is at the
  // end.
  Snapshot run_for(uint64_t ns);

  // Until all settings are in effect.
  Snapshot run_until_settled();

 private:
  Interrupts& interrupts_;
  Engine engine_;
  EventLoop loop_;
};

}  // namespace pipetop

// The dashboard: a screen on a running engine, until the person has seen enough.
#pragma once

#include <functional>
#include <optional>

#include "engine/config/config.h"
#include "engine/engine.h"

namespace pipetop::tui {

class Source;

struct DashboardOptions {
  Choice unicode = Choice::automatic;
  Choice color = Choice::automatic;
  std::optional<double> roof_gib_per_s = {};  // the most that a pipe can carry, if known
  std::function<void(const Snapshot&)> every_snapshot = {};  // also while the screen is frozen
};

// Throws Error with what to do instead when there is no terminal that can show
// the dashboard. For callers who would rather know before they start an engine.
void check_terminal(const DashboardOptions& options);

// Returns the exit code: 0 after q or Ctrl-C, 128 + signal after SIGTERM or
// SIGHUP. Throws Error when there is no terminal to draw on, or the engine
// cannot go on; the terminal is as before then. `config.settings` must be what
// the engine was started with.
int run_dashboard(Engine& engine, const Config& config, const DashboardOptions& options);

// The same on anything that behaves like an engine.
int run_dashboard(Source& source, const Config& config, const DashboardOptions& options);

}  // namespace pipetop::tui

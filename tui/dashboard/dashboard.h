// The dashboard: the screen of a running engine, until the user quits.
#pragma once

#include <functional>
#include <optional>

#include "engine/config/config.h"
#include "engine/engine.h"

namespace pipetop::tui {

class Source;

struct DashboardOptions {
  std::optional<double> roof_gib_per_s = {};  // the upper bound of a pipe's rate, if known
  std::function<void(const Snapshot&)> every_snapshot = {};  // also while the screen is frozen
};

// Throws Error, with an alternative, if no terminal can show the dashboard. For
// callers that want to know before they start an engine.
void check_terminal(const Config& config);

// Returns the exit code: 0 after q or Ctrl-C, 128 + signal after SIGTERM or
// SIGHUP. Throws Error if there is no terminal, or the engine cannot continue; the
// terminal is restored first. `config.settings` must be the engine's initial
// settings.
int run_dashboard(Engine& engine, const Config& config, const DashboardOptions& options);

// The same for anything that behaves like an engine.
int run_dashboard(Source& source, const Config& config, const DashboardOptions& options);

}  // namespace pipetop::tui

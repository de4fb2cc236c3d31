// The dashboard: the screen of a running engine, until the user quits.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/config/config.h"
#include "engine/config/talk.h"
#include "engine/model/snapshot.h"
#include "engine/watch/watch_source.h"
#include "tui/dashboard/talk.h"
#include "tui/draw/canvas.h"
#include "tui/screen/screen.h"

namespace pipetop::tui {

class Source;

// Begins to watch what a scene names. It ends with the last owner of the result. Throws Error.
using OpenScene = std::function<std::shared_ptr<WatchSource>(const SceneWatch&)>;

struct DashboardOptions {
  std::optional<double> roof_gib_per_s = {};  // the upper bound of a pipe's rate, if known
  std::function<void(const Snapshot&)> every_snapshot = {};  // also while the screen is frozen
  Tape* tape = nullptr;  // gets every snapshot as it is shown, or would be if it were not frozen
  // Each frame as it is drawn.
  std::function<void(const Canvas&, const Snapshot&)> every_frame = {};
  std::optional<TalkOptions> present = {};  // the config's scenes are given as a talk
  OpenScene open_scene = {};                // empty: scenes that watch cannot be shown
  // Gets, after the screen, what was changed in other processes and could not be put back.
  std::function<void(const std::string&)> say = {};
  // Saves a picture; returns the file's name. Throws Error. Empty: none can be saved.
  std::function<std::string(const std::string& svg)> save_picture = {};
};

// Throws Error, with an alternative, if no terminal can show the dashboard. For
// callers that want to know before they start an engine.
void check_terminal(const Config& config);

// Returns the exit code: 0 after q or Ctrl-C, 128 + signal after SIGTERM,
// SIGHUP or SIGQUIT; what can't be put back makes a 0 a 3. Throws Error if there is no terminal, or
// the source cannot continue; the terminal is restored first. `config.settings` must be the
// source's initial settings.
int run_dashboard(Source& source, const Config& config, const DashboardOptions& options);

}  // namespace pipetop::tui

// The pages that a key opens over other panels: the help, made from the tables of knobs, presets
// and keys; and the log of segments: the effect of every change, newest first, on top of the
// function lists, so that rate and ring stay visible.
#pragma once

#include <span>

#include "engine/model/tables.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

struct HelpContents {
  const Settings& settings;  // whose workload's knobs
  std::span<const Preset> presets;
  std::span<const ScreenKey> screen_keys;
  bool of_replay = false;  // no knob can be changed
};

// In the middle of the screen.
void draw_help(Canvas& canvas, const HelpContents& contents, int scroll);

// How far it can be scrolled on a screen of this size.
int help_scroll_end(int rows, int cols, const HelpContents& contents);

void draw_segment_log(Canvas& canvas, const Snapshot& snapshot, const ViewState& state);

// How far it can be scrolled on a screen of this size.
int log_scroll_end(int rows, int cols, const Snapshot& snapshot);

}  // namespace pipetop::tui

// The help page, made from the tables of knobs, presets and keys.
#pragma once

#include <span>

#include "engine/model/presets.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"

namespace pipetop::tui {

struct HelpContents {
  const Settings& settings;  // whose workload's knobs
  std::span<const Preset> presets;
  std::span<const ScreenKey> screen_keys;
};

// In the middle of the screen.
void draw_help(Canvas& canvas, const HelpContents& contents, int scroll);

// How far it can be scrolled on a screen of this size.
int help_scroll_end(int rows, int cols, const HelpContents& contents);

}  // namespace pipetop::tui

// The pages that a key opens over other panels: the help, made from the tables of knobs, presets
// and keys; the log of segments: the effect of every change, newest first, on top of the
// function lists, so that rate and ring stay visible; and all messages.
#pragma once

#include <span>

#include "engine/model/tables.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/list_state.h"

namespace pipetop::tui {

// What the dashboard's words mean to somebody who does not know them.
std::span<const ScreenKey> words();

struct HelpContents {
  const Settings* settings = nullptr;  // whose workload's knobs; null: none can be changed
  std::span<const Preset> presets = {};
  std::span<const ScreenKey> screen_keys = {};
  std::span<const ScreenKey> words = tui::words();
};

// In the middle of the screen.
void draw_help(Canvas& canvas, const HelpContents& contents, int scroll);

// How far it can be scrolled on a screen of this size.
int help_scroll_end(int rows, int cols, const HelpContents& contents);

// Every message in full, the most pressing first; in the middle of the screen.
void draw_messages(Canvas& canvas, std::span<const Message> messages, int scroll);

int messages_scroll_end(int rows, int cols, std::span<const Message> messages);

struct SegmentLogShown {
  const Snapshot& snapshot;  // its segments
  const Reference& reference;
  const HottestFunctions& hottest;
  int scroll = 0;
};
void draw_segment_log(Canvas& canvas, Border border, const Rect& rect, const SegmentLogShown& log);
// How far it can be scrolled.
int log_scroll_end(Border border, const Rect& rect, const Snapshot& snapshot);

}  // namespace pipetop::tui

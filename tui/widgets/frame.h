// The lines around the panels: their borders with titles; at the top what runs, where, and whether
// bytes are copied; at the bottom a message, and the keys with the state of their knobs.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/draw/text.h"
#include "tui/state/key_bar.h"
#include "tui/state/layout.h"
#include "tui/state/messages.h"

namespace pipetop::tui {

struct TitlePart {
  std::string text;
  Ink ink;
};

// The width of a title with its parts separated by " · " or another gap, and the room that a panel
// of a width has for it.
int title_columns(std::span<const TitlePart> parts, int gap = 3);
constexpr int title_room(int panel_cols) { return panel_cols - 4; }

// Draws border and title, and returns the inside. Title parts that do not fit are moved together;
// what has still no room is left out in whole clauses or words.
Area draw_panel(Canvas& canvas, Border border, const Rect& rect, std::span<const TitlePart> title,
                bool focused = false);
inline Area draw_panel(Canvas& canvas, const Layout& layout, const Rect& rect,
                       std::span<const TitlePart> title, bool focused = false) {
  return draw_panel(canvas, layout.border(), rect, title, focused);
}

// A box above the screen with a title; returns its inside.
Area draw_dialog(Canvas& canvas, const Rect& box, std::string_view title, std::string_view hint);

// In the middle, for so many lines of so many columns.
Area draw_dialog(Canvas& canvas, std::string_view title, std::string_view hint, int lines,
                 int cols);

// What is asked before something is done.
struct Question {
  std::string title;
  std::vector<std::string> lines;
  std::vector<ScreenKey> answers;  // the keys; the first is the usual one
};

// In the middle.
void draw_question(Canvas& canvas, const Question& question);

// In place of a screen that has no room: what it needs.
void draw_too_small(Canvas& canvas);

// `running`: what runs behind a frozen screen, "" if it is what the screen shows.
void draw_title_bar(const Area& area, const Snapshot& snapshot, std::string_view preset,
                    bool frozen = false, std::string_view running = {},
                    std::span<const TitlePart> badges = {});

// Keeps to its place. A text that does not fit ends in a whole word and in the key that shows all
// of it.
void draw_message(Canvas& canvas, Rect rect, const Message& message);

void draw_keys(const Area& area, const std::vector<KeyItem>& items);

}  // namespace pipetop::tui

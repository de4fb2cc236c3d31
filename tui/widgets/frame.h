// The lines around the panels: their borders with titles; at the top what runs, where, and whether
// bytes are copied; at the bottom a message, and the keys with the state of their knobs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/draw/text.h"

namespace pipetop::tui {

inline constexpr int kMinRows = 16;
inline constexpr int kMinCols = 60;

// Around a panel, or only a line above it.
enum class Border : uint8_t { rule, box };

// The lines around the body of a screen.
struct Frame {
  bool fits = false;   // below 60x16 there is only a message
  bool boxed = false;  // panels have full borders; else only a line above them
  Rect title, body, message, keys;
  Border border() const { return boxed ? Border::box : Border::rule; }
};
Frame frame_of(int rows, int cols, int key_rows);

// The part of a panel that its border leaves.
Rect inside(Border border, const Rect& panel);
inline Rect inside(const Frame& layout, const Rect& panel) {
  return inside(layout.border(), panel);
}

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
inline Area draw_panel(Canvas& canvas, const Frame& layout, const Rect& rect,
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

struct Message {
  std::string text;
  Severity severity = Severity::info;
};

// Keeps to its place. A text that does not fit ends in a whole word and in the key that shows all
// of it.
void draw_message(Canvas& canvas, Rect rect, const Message& message);

enum class Lamp : uint8_t { none, off, on, differs };

// One key, or two keys that step the same knob down and up.
struct KeyItem {
  std::string keys;          // "v", "{ }"
  std::string text;          // "vmsplice", "pipe 128KiB"
  std::vector<Key> presses;  // from left to right
  Lamp lamp = Lamp::none;
  int rank = 0;            // the lowest get a place first
  std::string brief = {};  // the text where there is little room; "": the same
  int widest = 0;          // columns of its longest text: a change moves nothing
  Rect place = {};         // rows == 0: no room

  int columns() const;
};

// All items with their positions relative to `bar`, in this order; the most important ones get a
// place, help and quit always.
std::vector<KeyItem> place_keys(const Rect& bar, std::vector<KeyItem> items);

// The key that a click at (row, col) of the bar presses; 0: none.
Key key_at(const std::vector<KeyItem>& items, int row, int col);

void draw_keys(const Area& area, const std::vector<KeyItem>& items);

}  // namespace pipetop::tui

// The screen of the speaker's notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tui/draw/canvas.h"
#include "tui/notes/notes_page.h"

namespace pipetop::tui {

struct NotesState {
  const std::optional<NotesPage>& page;  // the last one
  bool connected = false;                // to the talk
  uint64_t now_ns = 0;                   // CLOCK_MONOTONIC
  std::string_view clock;                // "14:05:09"
};

void draw_notes(Canvas& canvas, const NotesState& view);

}  // namespace pipetop::tui

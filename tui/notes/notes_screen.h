// `pipetop notes`: shows a talk's notes on another terminal, before it begins, while it goes on,
// and after its end, until the user quits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/config/config.h"
#include "tui/draw/canvas.h"
#include "tui/notes/notes_socket.h"

namespace pipetop::tui {

// Returns the exit code, as run_dashboard() does. Throws Error if there is no terminal.
int run_notes(const Config& config);

struct NotesState {
  const std::optional<NotesPage>& page;  // the last one
  bool connected = false;                // to the talk
  uint64_t now_ns = 0;                   // CLOCK_MONOTONIC
  std::string_view clock;                // "14:05:09"
};

void draw_notes(Canvas& canvas, const NotesState& view);

}  // namespace pipetop::tui

// The line above the keys: what the person should know now.
#pragma once

#include "engine/snapshot.h"
#include "tui/dashboard/canvas.h"
#include "tui/dashboard/view_state.h"

namespace pipetop::tui {

struct Message {
  std::string text;
  Severity severity = Severity::info;
};

// What a key said, else a knob that did not take effect, else the newest notice
// of the engine while it is new, else why the bytes are copied or not.
Message message_of(const Snapshot& snapshot, const ViewState& state);

// The lines that it takes in so many columns.
int message_rows(const Message& message, int cols);

void draw_message(const Area& area, const Message& message);

}  // namespace pipetop::tui

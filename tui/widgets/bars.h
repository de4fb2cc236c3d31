// The lines around the panels: at the top what runs, where, and whether bytes are copied; at the
// bottom a message, and the keys with the state of their knobs.
#pragma once

#include <string_view>
#include <vector>

#include "tui/draw/canvas.h"
#include "tui/state/key_items.h"
#include "tui/state/message.h"

namespace pipetop::tui {

void draw_title_bar(const Area& area, const Snapshot& snapshot, std::string_view preset,
                    bool frozen = false);

// Errors are shown in full: a truncated remedy is useless. They grow upwards over
// other content.
void draw_message(Canvas& canvas, Rect rect, const Message& message);

void draw_keys(const Area& area, const std::vector<KeyItem>& items);

}  // namespace pipetop::tui

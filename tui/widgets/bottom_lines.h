// The lines at the bottom: a message, and the keys with the state of their knobs.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/key_items.h"
#include "tui/state/message.h"

namespace pipetop::tui {

// What is wrong is said to its end: a remedy that is cut helps nobody. It grows
// upwards over what is there.
void draw_message(Canvas& canvas, Rect rect, const Message& message);

void draw_keys(const Area& area, const std::vector<KeyItem>& items);

}  // namespace pipetop::tui

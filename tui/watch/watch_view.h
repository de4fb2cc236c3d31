// Draws the whole screen of `watch`, and says what the user should know now: the line below the
// table or the pipeline, and the page with all.
#pragma once

#include <vector>

#include "tui/draw/canvas.h"
#include "tui/watch/watch_state.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

// Below 60x16 it only says what it needs.
void draw(Canvas& canvas, const WatchState& state);

// A prompt or a filter being typed; else a key's message; else news of the engine; else what is
// selected; else, in turn, what there is to know.
Message message_of(const WatchState& state);
// All that there is to say now, in the same order.
std::vector<Message> messages_of(const WatchState& state);

// The price of counting bytes exactly; on the screen while it is on.
std::string_view price_of_counting();

}  // namespace pipetop::tui

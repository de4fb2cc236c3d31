// What covers the screen of a talk: the list of scenes, its keys, the question whether to leave,
// and the number being typed.
#pragma once

#include "tui/draw/canvas.h"
#include "tui/state/talk_state.h"

namespace pipetop::tui {

void draw_talk(Canvas& canvas, const TalkState& talk);

}  // namespace pipetop::tui

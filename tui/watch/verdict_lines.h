// What holds a pipeline up, above it: one sentence, and its evidence where there is room.
#pragma once

#include "engine/watch/pipeline.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

// Fixed for a screen, so that nothing below moves with the text.
constexpr int verdict_rows(int screen_rows) {
  return screen_rows >= 36 ? 4 : screen_rows >= 22 ? 2 : 1;
}

void draw_verdict(const Area& area, const Bottleneck& bottleneck);

}  // namespace pipetop::tui

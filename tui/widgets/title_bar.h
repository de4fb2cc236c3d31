// The first line: what runs, where, and whether its bytes are copied.
#pragma once

#include <string_view>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

void draw_title_bar(const Area& area, const Snapshot& snapshot, std::string_view preset,
                    bool frozen = false);

}  // namespace pipetop::tui

// The first line: what runs, where, and whether its bytes are copied.
#pragma once

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

// The name of the preset that the settings equal, else "custom".
std::string_view preset_name(const ViewState& state);

void draw_title_bar(const Area& area, const Snapshot& snapshot, const ViewState& state);

}  // namespace pipetop::tui

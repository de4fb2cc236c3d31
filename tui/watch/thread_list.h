// The threads of the selected stage: which reads, which writes, which computes.
#pragma once

#include <string_view>

#include "engine/model/pipeline.h"
#include "tui/draw/canvas.h"
#include "tui/widgets/list_state.h"

namespace pipetop::tui {

// Lists those whose names, numbers or roles contain the filter. The rows refer to the stage.
void list_threads(ListContents& contents, const Stage& stage, std::string_view filter);

// Below a header, if there is room, as `list` is scrolled.
void draw_thread_list(const Area& area, const Stage& stage, const ListState& list, bool focused);

}  // namespace pipetop::tui

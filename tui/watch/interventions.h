// What is asked before other people's pipes are resized, the first time, and before the screen is
// left with what was changed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pipeline.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

// The name of a process's user; "" if it isn't known.
using UserOf = std::function<std::string(ProcessId)>;

Question resize_question(const Pipe& pipe, std::span<const Stage> stages, bool larger,
                         const UserOf& user_of);
// What becomes of these.
Question leaving_question(std::span<const Intervention> changes);

}  // namespace pipetop::tui

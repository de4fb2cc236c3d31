// What is asked before other people's processes are changed: the first time, and whenever it can't
// be undone.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/watch/pipeline.h"
#include "tui/draw/canvas.h"
#include "tui/watch/prompt.h"

namespace pipetop::tui {

struct Question {
  std::string title;               // "Double pipe 81001?"
  std::vector<std::string> lines;  // whose it is, and what becomes of it
};

// The name of a process's user; "" if it isn't known.
using UserOf = std::function<std::string(ProcessId)>;

Question resize_question(const Pipe& pipe, std::span<const Stage> stages, bool larger,
                         const UserOf& user_of);
// What was chosen for a stage. `for_good`: its user can't put it back.
Question stage_question(const Prompt& chosen, bool for_good, const UserOf& user_of);

void draw_question(Canvas& canvas, const Question& question);

}  // namespace pipetop::tui

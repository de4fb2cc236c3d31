#include "tui/watch/question.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tui/draw/text.h"
#include "tui/state/pipe_words.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {
namespace {

constexpr size_t kMostNamed = 3;  // of each side

std::string user_text(ProcessId process, const UserOf& user_of) {
  const std::string user = user_of(process);
  return user.empty() ? "user unknown" : "user " + user;
}

// Those that move data, else all that hold it.
void add_processes(std::vector<std::string>& lines, std::string_view what,
                   const std::vector<StageEnd>& ends, std::span<const Stage> stages,
                   const UserOf& user_of) {
  const bool moved = std::ranges::any_of(ends, &StageEnd::active);
  std::set<size_t> found;
  for (const StageEnd& end : ends) {
    if ((moved && !end.active) || end.stage >= stages.size()) continue;
    if (!found.insert(end.stage).second || found.size() > kMostNamed) continue;
    const Stage& stage = stages[end.stage];
    lines.push_back(
        fmt::format("{} {} {}, {}", what, stage.name, stage.id.pid, user_text(stage.id, user_of)));
  }
  if (found.empty()) lines.push_back(fmt::format("{} unknown", what));
  if (found.size() > kMostNamed)
    lines.push_back(fmt::format("{} and {} more", what, found.size() - kMostNamed));
}

}  // namespace

Question resize_question(const Pipe& pipe, std::span<const Stage> stages, bool larger,
                         const UserOf& user_of) {
  Question question;
  question.title = fmt::format("{} {}?", larger ? "Double" : "Halve", name_of(pipe));
  if (pipe.capacity)
    question.lines.push_back(
        fmt::format("size   {} → {}", size_text(pipe.capacity),
                    size_text(larger ? *pipe.capacity * 2 : *pipe.capacity / 2)));
  add_processes(question.lines, "writer", pipe.writers, stages, user_of);
  add_processes(question.lines, "reader", pipe.readers, stages, user_of);
  return question;
}

Question stage_question(const Prompt& chosen, bool for_good, const UserOf& user_of) {
  const bool pins = chosen.kind == Prompt::Kind::pin;
  Question question;
  question.title = fmt::format("{} {}?", pins ? "Pin" : "Renice", chosen.name);
  question.lines = {
      fmt::format("{}   {} → {}", pins ? "CPUs" : "nice", chosen.now, chosen.chosen()),
      "of     " + user_text(chosen.stage, user_of)};
  if (for_good) {
    question.lines.push_back("Only root can lower it again:");
    question.lines.push_back(
        fmt::format("  sudo renice -n {} -p {}", chosen.now, chosen.stage.pid));
  }
  return question;
}

void draw_question(Canvas& canvas, const Question& question) {
  constexpr int kLeastCols = 46;
  int cols = kLeastCols;
  for (const std::string& line : question.lines) cols = std::max(cols, columns_of(line) + 2);
  const Area area =
      draw_dialog(canvas, question.title, "", static_cast<int>(question.lines.size()) + 2, cols);
  int row = 0;
  for (const std::string& line : question.lines)
    area.put_fitted(row++, 1, area.cols() - 1, line, Style::plain);
  Pen(area, area.rows() - 1, 1)
      .text("Enter", Style::key)
      .text(" do it   ", {Style::plain, kBold})
      .text("any other key", Style::key)
      .text(" leave it");
}

}  // namespace pipetop::tui

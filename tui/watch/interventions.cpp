#include "tui/watch/interventions.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tui/widgets/pipes.h"

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
    lines.push_back(fmt::format("{} {}, {}", what, name_of(stage), user_text(stage.id, user_of)));
  }
  if (found.empty()) lines.push_back(fmt::format("{} unknown", what));
  if (found.size() > kMostNamed)
    lines.push_back(fmt::format("{} and {} more", what, found.size() - kMostNamed));
}

}  // namespace

Question resize_question(const Pipe& pipe, std::span<const Stage> stages, bool larger,
                         const UserOf& user_of) {
  Question question{fmt::format("{} {}?", larger ? "Double" : "Halve", name_of(pipe)),
                    {},
                    {{"Enter", "yes"}, {"any other key", "no"}}};
  if (pipe.capacity)
    question.lines.push_back(
        fmt::format("size   {} → {}", size_text(pipe.capacity),
                    size_text(larger ? *pipe.capacity * 2 : *pipe.capacity / 2)));
  add_processes(question.lines, "writer", pipe.writers, stages, user_of);
  add_processes(question.lines, "reader", pipe.readers, stages, user_of);
  return question;
}

Question leaving_question(std::span<const Intervention> changes) {
  constexpr size_t kMostListed = 8;
  Question question{changes.size() == 1 ? "1 change is in place"
                                        : fmt::format("{} changes are in place", changes.size()),
                    {},
                    {{"Enter", "put back"}, {"k", "keep"}, {"Esc", "cancel"}}};
  for (const Intervention& change : changes.first(std::min(changes.size(), kMostListed)))
    question.lines.push_back(change.text);
  if (changes.size() > kMostListed)
    question.lines.push_back(fmt::format("and {} more", changes.size() - kMostListed));
  return question;
}

}  // namespace pipetop::tui

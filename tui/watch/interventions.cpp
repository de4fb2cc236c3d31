#include "tui/watch/interventions.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "engine/process/threads.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {
namespace {

// Stages that share a pipe with it.
std::vector<const Stage*> neighbours(const Pipeline& pipeline, const Stage& stage) {
  std::vector<const Stage*> found;
  for (const Pipe& pipe : pipeline.pipes) {
    std::vector<const Stage*> holders;
    bool ours = false;
    for (const auto* ends : {&pipe.writers, &pipe.readers}) {
      for (const StageEnd& end : *ends) {
        if (!end.active || end.stage >= pipeline.stages.size()) continue;
        const Stage& other = pipeline.stages[end.stage];
        if (other.id == stage.id)
          ours = true;
        else
          holders.push_back(&other);
      }
    }
    if (ours) found.insert(found.end(), holders.begin(), holders.end());
  }
  return found;
}

std::string now_text(const Stage& stage, std::span<const int> all) {
  if (stage.cpus.empty()) return "not known";
  return stage.cpus.size() >= all.size() ? "all CPUs" : "CPU " + cpu_list(stage.cpus);
}

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

Question asked() { return {{}, {}, {{"Enter", "yes"}, {"any other key", "no"}}}; }

}  // namespace

Prompt nice_prompt(const Stage& stage) {
  Prompt prompt;
  prompt.stage = stage.id;
  prompt.name = name_of(stage);
  prompt.nice = prompt.before = stage.nice;
  prompt.now = std::to_string(stage.nice);
  return prompt;
}

Prompt pin_prompt(const Pipeline& pipeline, const Stage& stage, std::span<const int> cpus) {
  Prompt prompt;
  prompt.kind = Prompt::Kind::pin;
  prompt.stage = stage.id;
  prompt.name = name_of(stage);
  prompt.now = now_text(stage, cpus);
  prompt.choices.push_back({"all CPUs", {cpus.begin(), cpus.end()}});
  const auto beside = neighbours(pipeline, stage);
  for (const int cpu : cpus) {
    std::string text = fmt::format("CPU {}", cpu);
    for (const Stage* other : beside)
      if (other->cpus == std::vector<int>{cpu}) text += fmt::format(", as {}", other->name);
    prompt.choices.push_back({std::move(text), {cpu}});
  }
  const auto now = std::ranges::find(prompt.choices, stage.cpus, &PinChoice::cpus);
  if (now != prompt.choices.end()) prompt.at = static_cast<size_t>(now - prompt.choices.begin());
  prompt.step(1);
  return prompt;
}

void Prompt::step(int by) {
  if (kind == Kind::nice) {
    nice = std::clamp(nice + by, kLeastNice, kMostNice);
  } else if (!choices.empty()) {
    const auto count = static_cast<int>(choices.size());
    at = static_cast<size_t>((static_cast<int>(at) + by % count + count) % count);
  }
}

std::string Prompt::chosen() const {
  if (kind == Kind::nice) return std::to_string(nice);
  return choices.empty() ? "none" : choices[at].text;
}

std::string Prompt::text() const {
  if (kind == Kind::nice)
    return fmt::format("nice of {}: {}, now {}; Up Down change, Enter sets, Esc cancels", name,
                       chosen(), now);
  return fmt::format("{} on {}, now {}; c goes on, Enter sets, Esc cancels", name, chosen(), now);
}

Question resize_question(const Pipe& pipe, std::span<const Stage> stages, bool larger,
                         const UserOf& user_of) {
  Question question = asked();
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
  Question question = asked();
  question.title = fmt::format("{} {}?", pins ? "Pin" : "Renice", chosen.name);
  question.lines = {
      fmt::format("{}   {} → {}", pins ? "CPUs" : "nice", chosen.now, chosen.chosen()),
      "owner  " + user_text(chosen.stage, user_of)};
  if (for_good) {
    question.lines.push_back("Only root can lower it again:");
    question.lines.push_back(
        fmt::format("  sudo renice -n {} -p {}", chosen.now, chosen.stage.pid));
  }
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

#include "tui/watch/prompt.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/process/threads.h"
#include "tui/state/pipe_words.h"

namespace pipetop::tui {
namespace {

std::string named(const Stage& stage) { return fmt::format("{} {}", stage.name, stage.id.pid); }

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

}  // namespace

Prompt nice_prompt(const Stage& stage) {
  Prompt prompt;
  prompt.stage = stage.id;
  prompt.name = named(stage);
  prompt.nice = prompt.before = stage.nice;
  prompt.now = std::to_string(stage.nice);
  return prompt;
}

Prompt pin_prompt(const Pipeline& pipeline, const Stage& stage, std::span<const int> cpus) {
  Prompt prompt;
  prompt.kind = Prompt::Kind::pin;
  prompt.stage = stage.id;
  prompt.name = named(stage);
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
    return fmt::format("nice of {}: {}, now {}; Up Down change it, Enter sets it, Esc leaves it",
                       name, chosen(), now);
  return fmt::format("{} on {}, now {}; c goes on, Enter sets it, Esc leaves it", name, chosen(),
                     now);
}

}  // namespace pipetop::tui

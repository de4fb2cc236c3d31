#include "tui/completion/completion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/config/config.h"
#include "engine/config/find_config.h"
#include "engine/experiment/ladder.h"
#include "engine/process/placement.h"
#include "engine/workload/table/workloads.h"
#include "tui/manual/manual.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<Candidate>;

// Common values; those outside of a knob's range are left out.
constexpr std::array<std::string_view, 12> kSizes = {"auto",   "4KiB",   "16KiB",  "64KiB",
                                                     "128KiB", "256KiB", "1MiB",   "4MiB",
                                                     "16MiB",  "64MiB",  "256MiB", "1GiB"};
constexpr std::array<std::string_view, 6> kNumbers = {"1", "2", "4", "8", "16", "128"};

Words those_taken(const Knob& knob, std::span<const std::string_view> values) {
  Words words;
  for (const std::string_view value : values)
    if (Settings settings; succeeds([&] { knob.set(settings, value); }))
      words.push_back({std::string(value)});
  return words;
}

Words numbers_of(const Knob& knob, bool several) {
  Words words = those_taken(knob, kNumbers);
  if (several)
    for (const char* range : {"1..2", "1..4", "1..8"})
      if (succeeds([&] { sweep_of(knob, range); })) words.push_back({range, "compare all of them"});
  return words;
}

Words cpus() {
  Words words;
  for (const Cpu& cpu : read_topology()) words.push_back({std::to_string(cpu.number)});
  return words;
}

Words values_of_knob(const Knob& knob, bool several) {
  switch (knob.kind) {
    case KnobKind::size:
      return those_taken(knob, kSizes);
    case KnobKind::number:
      return numbers_of(knob, several);
    case KnobKind::cpu:
      return cpus();
    case KnobKind::choice:
    case KnobKind::boolean:
      break;
  }
  return those_taken(knob, knob.values);
}

Words names_of(std::span<const Preset> presets) {
  Words words;
  for (const Preset& preset : presets) words.push_back({preset.name, preset.title});
  return words;
}

Words names_of(std::span<const std::string> directories) {
  Words words;
  for (const auto& [name, path] : named_configs(directories)) words.push_back({name, path});
  return words;
}

Words topics() {
  Words words;
  for (const EmbeddedText& text : manual())
    if (!is_page(text)) words.push_back({std::string(text.name), std::string(title_of(text))});
  return words;
}

// "a|b|c"; a placeholder, such as HZ, is not a candidate.
Words choices_in(std::string_view value) {
  Words words;
  if (value.find('|') == value.npos) return words;
  for (const std::string& one : split(value, '|'))
    if (std::ranges::any_of(one,
                            [](unsigned char c) { return std::islower(c) || std::isdigit(c); }))
      words.push_back({one});
  return words;
}

bool is_in_list(const std::string& list, const std::string& word) {
  return ("," + list).find("," + word + ",") != std::string::npos;
}

// For "a,b,c": what may follow the last comma and is not in the list yet.
Words go_on_with_list(const Words& choices, const std::string& typed) {
  const std::string before = typed.substr(0, typed.rfind(',') + 1);
  Words words;
  for (const Candidate& choice : choices)
    if (!is_in_list(before, choice.word)) words.push_back({before + choice.word, choice.help});
  return words;
}

// The knob that a flag stands for, also in the article's spelling; nullptr if none.
const Knob* knob_of(const ListedFlag& flag) {
  if (flag.names.empty()) return nullptr;
  const std::string_view name = std::string_view(flag.names.back()).substr(2);
  if (const Knob* knob = find_knob(name)) return knob;
  const auto found =
      std::ranges::find_if(knobs(), [&](const Knob& k) { return k.article.flag == name; });
  return found == knobs().end() ? nullptr : &*found;
}

// Parses the words before the one being typed, then lists the candidates for it.
class Completion {
 public:
  Completion(const CommandList& list, std::span<const std::string> directories)
      : list_(list), directories_(directories), flags_(list.globals) {}

  void read(const std::string& word) {
    starts_command_ |= command_ && command_->name == "watch" && word == "--";
    const ListedFlag* flag = std::exchange(waiting_, nullptr);
    if (flag && !(flag->value_optional && (word.starts_with('-') || find_command(list_, word)))) {
      note_value(*flag, word);
    } else if (word.starts_with('-')) {
      read_flag(word);
    } else if (!command_ && (command_ = find_command(list_, word))) {
      flags_.insert(flags_.begin(), command_->flags.begin(), command_->flags.end());
    }
  }

  Candidates complete(const std::string& typed) const {
    if (starts_command_) return {{}, ""};  // of another program
    Candidates answer = all_that_fit(typed);
    std::erase_if(answer.words, [&](const Candidate& c) { return !c.word.starts_with(typed); });
    return answer;
  }

 private:
  void note_value(const ListedFlag& flag, const std::string& value) {
    if (flag.value == "CONFIG") config_ = value;
  }

  void read_flag(const std::string& word) {
    const size_t equals = word.find('=');
    const ListedFlag* flag = find_flag(flags_, word.substr(0, equals));
    if (!flag || flag->value.empty()) return;
    if (equals == word.npos)
      waiting_ = flag;
    else
      note_value(*flag, word.substr(equals + 1));
  }

  // The config that was typed, if it can be read: mistakes are not reported while typing.
  Config start() const {
    if (config_.empty()) return default_config();
    try {
      return load_config(find_config(config_, directories_));
    } catch (const Error&) {
      return default_config();
    }
  }

  // All values, also those that do not match `typed`: of a list, the whole list so far.
  Candidates values(const ListedFlag& flag, const std::string& typed) const {
    if (const Knob* knob = knob_of(flag)) {
      const bool several = command_ && command_->name == "run";  // takes a,b or 1..4
      const Words words = values_of_knob(*knob, several);
      return {several ? go_on_with_list(words, typed) : words, {}};
    }
    if (flag.value == "CONFIG") return {names_of(directories_), ".yaml"};
    if (flag.value == "NAME") return {names_of(start().presets), {}};
    if (flag.value == "NAME,...") return {go_on_with_list(names_of(start().presets), typed), {}};
    if (flag.value == "TOPIC") return {topics(), {}};
    if (flag.value == "FILE" || flag.value.ends_with("|FIFO")) return {{}, ""};
    return {choices_in(flag.value), {}};
  }

  // "--flag=value"
  Candidates assigned(const std::string& typed) const {
    const size_t value = typed.find('=') + 1;
    const ListedFlag* flag = find_flag(flags_, typed.substr(0, value - 1));
    if (!flag || flag->value.empty()) return {};
    Candidates answer = values(*flag, typed.substr(value));
    for (Candidate& candidate : answer.words) candidate.word.insert(0, typed, 0, value);
    return answer;
  }

  // A short flag only if a dash was typed. Each command has its own --help.
  void add_flags(const std::string& typed, Words& words) const {
    const bool short_names = typed.size() == 2 && typed != "--";
    const Settings settings = start().settings;
    for (const ListedFlag& flag : flags_) {
      const Knob* knob = knob_of(flag);
      if (knob && !has_knob(settings, knob->name)) continue;
      for (const std::string& name : flag.names)
        if (name.starts_with("--") != short_names &&
            std::ranges::find(words, name, &Candidate::word) == words.end())
          words.push_back({name, flag.help});
    }
  }

  // A command, or what a command takes without a flag.
  void add_words(const std::string& typed, Candidates& answer) const {
    if (!command_) {
      for (const ListedCommand& command : list_.commands)
        answer.words.push_back({command.name, command.help});
      return;
    }
    for (const ListedFlag& word : command_->flags) {
      if (!word.names.empty()) continue;
      const Candidates possible = values(word, typed);
      std::ranges::copy(possible.words, std::back_inserter(answer.words));
      if (possible.files) answer.files = possible.files;
    }
  }

  Candidates all_that_fit(const std::string& typed) const {
    if (waiting_ && !waiting_->value_optional) return values(*waiting_, typed);
    if (typed.starts_with("--") && typed.find('=') != typed.npos) return assigned(typed);
    Candidates answer = waiting_ ? values(*waiting_, typed) : Candidates();
    if (!typed.starts_with('-')) add_words(typed, answer);
    const bool nothing = answer.words.empty() && !answer.files;
    if (typed.starts_with('-') || nothing) add_flags(typed, answer.words);
    return answer;
  }

  const CommandList& list_;
  std::span<const std::string> directories_;
  std::vector<ListedFlag> flags_;  // of the command, and the globals
  const ListedCommand* command_ = nullptr;
  const ListedFlag* waiting_ = nullptr;  // its value is the next word
  std::string config_;
  bool starts_command_ = false;  // of `watch -- COMMAND`
};

}  // namespace

Candidates candidates(std::span<const std::string> words, const CommandList& list,
                      std::span<const std::string> directories) {
  if (words.empty()) return {};
  Completion completion(list, directories);
  for (const std::string& word : words.first(words.size() - 1)) completion.read(word);
  return completion.complete(words.back());
}

std::string print_candidates(const Candidates& candidates) {
  std::string text;
  for (const Candidate& candidate : candidates.words)
    text += candidate.word + (candidate.help.empty() ? "" : "\t" + candidate.help) + "\n";
  if (candidates.files) text += ":files " + *candidates.files + "\n";
  return text;
}

}  // namespace pipetop::tui

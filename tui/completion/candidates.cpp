#include "tui/completion/candidates.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/config/find_config.h"
#include "engine/registry/knobs.h"
#include "tui/completion/flag_candidates.h"

namespace pipetop::tui {
namespace {

using Flags = std::span<const ListedFlag>;

const ListedFlag* find_named(Flags flags, const std::string& name) {
  const auto found = std::ranges::find_if(flags, [&](const ListedFlag& flag) {
    return std::ranges::find(flag.names, name) != flag.names.end();
  });
  return found == flags.end() ? nullptr : &*found;
}

// Parses the words before the one being typed, then lists the candidates for it.
class Completion {
 public:
  Completion(const CommandList& list, std::span<const std::string> directories)
      : list_(list), directories_(directories) {}

  void read(const std::string& word) {
    const ListedFlag* flag = std::exchange(waiting_, nullptr);
    if (flag && !(flag->value_optional && (word.starts_with('-') || find_command(word)))) {
      note_value(*flag, word);
    } else if (word.starts_with('-')) {
      read_flag(word);
    } else if (!command_) {
      command_ = find_command(word);
    }
  }

  Candidates complete(const std::string& typed) const {
    Candidates answer = all_that_fit(typed);
    std::erase_if(answer.words, [&](const Candidate& c) { return !c.word.starts_with(typed); });
    return answer;
  }

 private:
  const ListedCommand* find_command(const std::string& name) const {
    const auto found = std::ranges::find(list_.commands, name, &ListedCommand::name);
    return found == list_.commands.end() ? nullptr : &*found;
  }

  const ListedFlag* find_flag(const std::string& name) const {
    const ListedFlag* flag = command_ ? find_named(command_->flags, name) : nullptr;
    return flag ? flag : find_named(list_.globals, name);
  }

  void note_value(const ListedFlag& flag, const std::string& value) {
    if (flag.value == "CONFIG") config_ = value;
  }

  void read_flag(const std::string& word) {
    const size_t equals = word.find('=');
    const ListedFlag* flag = find_flag(word.substr(0, equals));
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

  Candidates values(const ListedFlag& flag, const std::string& typed) const {
    return values_of({flag, typed, command_ && command_->name == "run"}, start(), directories_);
  }

  // "--flag=value"
  Candidates assigned(const std::string& typed) const {
    const size_t value = typed.find('=') + 1;
    const ListedFlag* flag = find_flag(typed.substr(0, value - 1));
    if (!flag || flag->value.empty()) return {};
    Candidates answer = values(*flag, typed.substr(value));
    for (Candidate& candidate : answer.words) candidate.word.insert(0, typed, 0, value);
    return answer;
  }

  // Each command has its own --help.
  static void add_once(Candidate word, std::vector<Candidate>& words) {
    if (std::ranges::find(words, word.word, &Candidate::word) == words.end())
      words.push_back(std::move(word));
  }

  // A short flag only if a dash was typed.
  void add_flags(Flags flags, bool short_names, WorkloadKind workload, Candidates& answer) const {
    for (const ListedFlag& flag : flags) {
      const Knob* knob = knob_of(flag);
      if (knob && workload_of(*knob) != workload) continue;
      for (const std::string& name : flag.names)
        if (name.starts_with("--") != short_names) add_once({name, flag.help}, answer.words);
    }
  }

  void add_all_flags(const std::string& typed, Candidates& answer) const {
    const bool short_names = typed.size() == 2 && typed != "--";
    const WorkloadKind workload = start().settings.workload;
    if (command_) add_flags(command_->flags, short_names, workload, answer);
    add_flags(list_.globals, short_names, workload, answer);
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
      const Candidates more = values(word, typed);
      answer.words.insert(answer.words.end(), more.words.begin(), more.words.end());
    }
  }

  Candidates all_that_fit(const std::string& typed) const {
    if (waiting_ && !waiting_->value_optional) return values(*waiting_, typed);
    if (typed.starts_with("--") && typed.find('=') != typed.npos) return assigned(typed);
    Candidates answer = waiting_ ? values(*waiting_, typed) : Candidates();
    if (!typed.starts_with('-')) add_words(typed, answer);
    if (typed.starts_with('-') || answer.words.empty()) add_all_flags(typed, answer);
    return answer;
  }

  const CommandList& list_;
  std::span<const std::string> directories_;
  const ListedCommand* command_ = nullptr;
  const ListedFlag* waiting_ = nullptr;  // its value is the next word
  std::string config_;
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

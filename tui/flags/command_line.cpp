#include "tui/flags/command_line.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/config/config.h"
#include "tui/draw/text.h"
#include "tui/flags/flags.h"
#include "tui/flags/misuse.h"

namespace pipetop::tui {
namespace {

using Names = std::vector<std::string_view>;
using Words = std::span<const std::string>;

constexpr std::string_view kCommandFollows = "--";

// One line of --help, wrapped.
std::string exit_codes_text() {
  std::string all = "Exit codes:";
  for (const ExitCode& exit : kExitCodes)
    all += fmt::format("{}{} {}", &exit == kExitCodes.begin() ? " " : "; ", exit.code, exit.help);
  all += '.';
  return fmt::format("{}", fmt::join(broken(all, 80), "\n"));
}

// CLI11's parser for our values. Its exceptions end here.
class Parser {
 public:
  Parser() {
    app_.option_defaults()->take_last();
    add_globals();
    for (const CommandEntry& entry : command_entries()) {
      CLI::App* command = app_.add_subcommand(entry.name, entry.help);
      command->fallthrough()->allow_extras();
      command->footer("The flags of pipetop --help can come before or after the command.");
      entry.add_flags(*command, line_);
    }
  }

  // `watched` is the command behind "--".
  CommandLine parse(Words arguments, Words watched) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    line_.watch.command.assign(watched.begin(), watched.end());
    try {
      app_.parse(reversed);
      check_remaining();
      line_.command = command();
      check_one_command();
      refuse_misuse(line_, app_);
    } catch (const CLI::CallForHelp&) {
      line_.command = Command::help;
      line_.help = app_.help();
    } catch (const CLI::CallForVersion&) {
      line_.command = Command::version;
    } catch (const CLI::ParseError& e) {
      throw Error(explain(e));
    }
    return std::move(line_);
  }

  CommandList list() const {
    CommandList list{flags_in(app_), {}};
    for (const CommandEntry& entry : command_entries())
      list.commands.push_back({entry.name, entry.help, flags_in(*app_.get_subcommand(entry.name))});
    return list;
  }

 private:
  static std::vector<ListedFlag> flags_in(const CLI::App& app) {
    std::vector<ListedFlag> flags;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == kHiddenGroup) continue;
      ListedFlag flag;
      for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
      flag.help = option->get_description();
      if (option->get_items_expected_max() > 0) flag.value = option->get_type_name();
      flag.value_optional = option->get_items_expected_min() == 0;
      flag.group = option->get_group();
      flags.push_back(std::move(flag));
    }
    return flags;
  }

  void add_globals() {
    app_.set_help_flag("-h,--help", "print this help");
    app_.set_version_flag("-V,--version", kVersion, "print the version");
    app_.add_option("-c,--config", line_.config,
                    "start from a config file, given by path or by name")
        ->type_name("CONFIG");
    app_.add_option("--preset", line_.preset,
                    "start from a preset, by name or number; pipetop presets lists them")
        ->type_name("NAME");
    app_.add_flag("--no-color", line_.no_color, "no colours; NO_COLOR does the same");
    const auto themes = theme_names();
    const auto choose_theme = [this](size_t i) { line_.theme = static_cast<ThemeChoice>(i); };
    add_choice(app_, "--theme", {themes.begin(), themes.end()}, choose_theme,
               "colours; auto: as the terminal's background is (default auto)");
    app_.add_flag("--no-unicode", line_.no_unicode, "ASCII only");
    app_.add_flag("--show,--stage", line_.show,
                  "start with the show: few and large things, for an audience");
    app_.add_flag("--no-summary", line_.no_summary,
                  "do not print the segments and their rates when the dashboard ends");
    add_observing();
    app_.add_flag("--default-config", default_config_, "print a config file with every key");
    add_knob_flags(app_, line_);
    app_.allow_extras();
    app_.footer(exit_codes_text());
  }

  void add_observing() {
    app_.add_flag("--no-bpf", line_.no_bpf, "do not observe with BPF");
    const auto choose_hz = [this](const std::string& hz) {
      const bool automatic = hz == "auto";
      line_.frequency_hz =
          automatic ? 0 : number_of("--frequency", hz, kMinFrequencyHz, kMaxFrequencyHz);
    };
    add_value(app_, "--frequency", "auto|HZ", choose_hz,
              "samples per second on each CPU; auto: as many as cost 0.5 % (default auto)");
    const auto names = bpf_counters_names();
    const auto choose = [this](size_t i) { line_.bpf_counters = static_cast<BpfCounters>(i); };
    add_choice(app_, "--bpf-counters", {names.begin(), names.end()}, choose,
               "BPF's counters: one record per CPU, or a shared one (default percpu)");
    add_file(app_, "--folded", line_.folded,
             "write the kernel stacks at the end, folded for flame graphs");
    add_file(app_, "--segments", line_.segments,
             "write one line per segment: CSV to FILE.csv, JSON to FILE.jsonl");
    add_file(app_, "--record", line_.record,
             "record what is measured or watched, to be shown again by pipetop replay");
    const auto choose_roof = [this](const std::string& rate) {
      line_.roof = rate.empty() ? 0 : rate_of("--roof", rate);
    };
    add_optional_value(app_, "--roof", "[GIB/S]", choose_roof,
                       "draw the upper bound of a pipe's rate: this, or measured in a second");
    add_file(app_, "--against", line_.against,
             "draw the rates of a stored result (see compare) beside those of now");
  }

  Command command() const {
    if (default_config_) return Command::default_config;
    const auto given = app_.get_subcommands();
    if (given.empty()) return Command::dashboard;
    return std::ranges::find(command_entries(), given.front()->get_name(), &CommandEntry::name)
        ->command;
  }

  // A command after help is its topic.
  void check_one_command() {
    const auto commands = app_.get_subcommands();
    if (line_.command == Command::manual && commands.size() == 2 && line_.topic.empty()) {
      line_.topic = commands[1]->get_name();
      return;
    }
    if (commands.size() > 1)
      throw Error(fmt::format("{} and {} are two commands: give one", commands[0]->get_name(),
                              commands[1]->get_name()));
  }

  void check_remaining() const {
    const std::vector<std::string> remaining = app_.remaining(true);
    if (remaining.empty()) return;
    const std::string word = remaining.front().substr(0, remaining.front().find('='));
    throw Error(word.starts_with('-') ? unknown_flag(word) : unknown_word(word));
  }

  std::string unknown_word(const std::string& word) const {
    if (!app_.get_subcommands().empty())
      return fmt::format("unexpected argument \"{}\": see pipetop {} --help", word,
                         app_.get_subcommands().front()->get_name());
    Names names;
    for (const CommandEntry& entry : command_entries()) names.push_back(entry.name);
    const auto near = nearest(word, names);
    return fmt::format(
        "there is no command \"{}\": {}", word,
        near ? fmt::format("did you mean {}?", *near)
             : fmt::format("give {}, or none for the dashboard", join_choices(names)));
  }

  std::string unknown_flag(const std::string& word) const {
    const CommandList all = list();
    std::vector<ListedFlag> flags = all.globals;
    for (const ListedCommand& command : all.commands) {
      if (!app_.got_subcommand(command.name) && find_flag(command.flags, word))
        return fmt::format("{} needs a command: pipetop {} {} ...", word, command.name, word);
      flags.insert(flags.end(), command.flags.begin(), command.flags.end());
    }
    Names names;
    for (const ListedFlag& flag : flags)
      for (const std::string& name : flag.names)
        if (name.starts_with("--")) names.push_back(name);
    const auto near = nearest(word, names);
    return fmt::format("there is no flag {}: {}", word,
                       near ? fmt::format("did you mean {}?", *near) : "see pipetop --help");
  }

  // CLI11 names the option, but its messages are for programmers.
  static std::string explain(const CLI::ParseError& e) {
    const std::string words = e.what();
    const std::string name = words.substr(0, words.find(':'));
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) != nullptr && name.starts_with('-'))
      return fmt::format("{} needs a value: see pipetop --help", name);
    return fmt::format("{}: see pipetop --help", words.substr(0, words.find('\n')));
  }

  CommandLine line_;
  CLI::App app_{
      "An oscilloscope for Linux pipes: drives a pipe, changes how, shows why it matters.\nWithout "
      "a command it opens the dashboard.",
      "pipetop"};
  bool default_config_ = false;
};

const CommandEntry& entry_of(Command command) {
  return *std::ranges::find(command_entries(), command, &CommandEntry::command);
}

// A stage of a pipeline has to start at once, and the knobs and the other commands take their time.
// Nothing if there is more in `arguments` than this command's own flags.
std::optional<CommandLine> parse_view(Words arguments) {
  const CommandEntry& view = entry_of(Command::view);
  if (arguments.empty() || arguments.front() != view.name) return {};
  CommandLine line;
  line.command = view.command;
  CLI::App app;
  app.set_help_flag();
  app.option_defaults()->take_last();
  view.add_flags(app, line);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError&) {
    return {};
  }
  refuse_misuse(line, app);
  return line;
}

}  // namespace

std::optional<Words> command_behind(Words arguments) {
  const auto dashes = std::ranges::find(arguments, kCommandFollows);
  const Words before(arguments.begin(), dashes);
  const auto names = [&](Command command) {
    return std::ranges::find(before, entry_of(command).name) != before.end();
  };
  if (dashes == arguments.end() || before.empty() || before.front() == kCompleteWords ||
      !(names(Command::watch) || names(Command::shot)))
    return {};
  return Words(dashes + 1, arguments.end());
}

CommandLine parse_command_line(std::span<const std::string> arguments) {
  if (!arguments.empty() && arguments.front() == kCompleteWords) {
    CommandLine line;
    line.command = Command::complete_words;
    line.words.assign(arguments.begin() + 1, arguments.end());
    return line;
  }
  if (auto line = parse_view(arguments)) return std::move(*line);
  const std::optional<Words> watched = command_behind(arguments);
  if (!watched) return Parser().parse(arguments, {});
  if (watched->empty()) throw Error("-- needs a command: give for example pipetop watch -- make");
  return Parser().parse(arguments.first(arguments.size() - watched->size() - 1), *watched);
}

CommandList list_commands() { return Parser().list(); }

const ListedFlag* find_flag(std::span<const ListedFlag> flags, std::string_view name) {
  const auto found = std::ranges::find_if(flags, [&](const ListedFlag& flag) {
    return std::ranges::find(flag.names, name) != flag.names.end();
  });
  return found == flags.end() ? nullptr : &*found;
}

const ListedCommand* find_command(const CommandList& list, std::string_view name) {
  const auto found = std::ranges::find(list.commands, name, &ListedCommand::name);
  return found == list.commands.end() ? nullptr : &*found;
}

}  // namespace pipetop::tui

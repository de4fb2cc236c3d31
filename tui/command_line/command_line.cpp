#include "tui/command_line/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "engine/config/limits.h"
#include "engine/error.h"
#include "engine/text.h"
#include "tui/command_line/knob_flags.h"

namespace pipetop::tui {
namespace {

using Names = std::vector<std::string_view>;

// Each array is indexed by its enumeration, from its start.
constexpr std::array<std::string_view, 4> kFormats = {"human", "json", "jsonl", "csv"};
// Known to the design, not to this version.
constexpr std::array<std::string_view, 3> kLaterCommands = {"ladder", "tune", "limits"};

constexpr uint32_t kMaxRounds = 1000;
constexpr uint64_t kMinIntervalNs = 100'000'000;
constexpr uint64_t kMaxDurationNs = 7ull * 24 * 3600 * 1'000'000'000;

constexpr const char* kExitCodes =
    "Exit codes: 0 ok; 1 usage or bad config; 2 a worker failed; 3 a resource or\n"
    "permission was refused; 4 the kernel lacks the feature; 7 result untrustworthy;\n"
    "128+N ended by signal N.";

// Runs `parse`, naming the flag in what it throws.
template <class Function>
auto named(const std::string& flag, Function parse) {
  try {
    return parse();
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", flag, e.what()));
  }
}

uint64_t duration_of(const std::string& flag, const std::string& text, uint64_t least) {
  const uint64_t ns = named(flag, [&] { return parse_duration_ns(text); });
  if (ns < least || ns > kMaxDurationNs)
    throw Error(fmt::format("{}: \"{}\" is out of range: give {} to {}", flag, text,
                            format_duration(least), format_duration(kMaxDurationNs)));
  return ns;
}

uint64_t bytes_of(const std::string& flag, const std::string& text) {
  const uint64_t bytes = named(flag, [&] { return parse_size(text); });
  if (bytes == 0) throw Error(fmt::format("{}: \"{}\" moves nothing: give 1 or more", flag, text));
  return bytes;
}

uint32_t number_of(const std::string& flag, const std::string& text, uint32_t least,
                   uint32_t most) {
  uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < least || n > most)
    throw Error(fmt::format("{}: \"{}\" is out of range: give {} to {}", flag, text, least, most));
  return n;
}

// An unset variable of the shell's must not pass for a wish to have no file.
std::string file_of(const std::string& flag, const std::string& path) {
  if (path.empty()) throw Error(fmt::format("{}: \"\" is no file: give its name", flag));
  return path;
}

// CLI11's parser over our values. Its exceptions end here.
class Parser {
 public:
  Parser() {
    add_globals();
    run_ = add_command("run", "measure without a screen");
    add_run_flags();
    doctor_ = add_command("doctor", "what works on this machine, what does not, and the remedy");
    add_doctor_flags();
    presets_ = add_command("presets", "the settings on offer");
    add_format(*presets_, {"human", "json"});
  }

  CommandLine parse(std::span<const std::string> arguments) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
      app_.parse(reversed);
      check_remaining();
      line_.command = command();
      check_run();
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

 private:
  void add_globals() {
    app_.set_help_flag("-h,--help", "this text");
    app_.set_version_flag("-V,--version", PIPETOP_VERSION, "the version");
    app_.add_option("-c,--config", line_.config_path, "start from a config file")
        ->type_name("FILE")
        ->take_last();
    app_.add_option("--preset", line_.preset, "start from these settings (pipetop presets)")
        ->type_name("NAME")
        ->take_last();
    app_.add_flag("--no-color", line_.no_color, "no colours; NO_COLOR does the same");
    app_.add_flag("--no-unicode", line_.no_unicode, "ASCII only");
    app_.add_flag("--no-bpf", line_.no_bpf, "do not observe with BPF");
    app_.add_option_function<std::string>(
            "--frequency",
            [this](const std::string& hz) {
              line_.frequency_hz = number_of("--frequency", hz, kMinFrequencyHz, kMaxFrequencyHz);
            },
            "samples a second on each CPU, 999 by default")
        ->type_name("HZ")
        ->take_last();
    app_.add_option_function<std::string>(
            "--bpf-counters", [this](const std::string& text) { choose_counters(text); },
            "how BPF counts: percpu (by default) or shared")
        ->type_name("LAYOUT")
        ->take_last();
    add_file("--folded", line_.folded,
             "write the kernel stacks there in the end, folded for flame graphs");
    add_file("--segments", line_.segments,
             "write what each change did there: FILE.csv, or JSON lines to FILE.jsonl");
    app_.add_flag("--default-config", default_config_, "print a config file with every key");
    add_knob_flags(app_, line_.knobs);
    app_.allow_extras();
    app_.footer(kExitCodes);
  }

  void choose_counters(const std::string& text) {
    const auto names = bpf_counters_names();
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      throw Error(fmt::format("--bpf-counters: \"{}\" is not one of its values: give {}", text,
                              join_choices(names)));
    line_.bpf_counters = static_cast<BpfCounters>(found - names.begin());
  }

  void add_file(const std::string& flag, std::string& target, const std::string& help) {
    app_.add_option_function<std::string>(
            flag, [=, &target](const std::string& path) { target = file_of(flag, path); }, help)
        ->type_name("FILE")
        ->take_last();
  }

  CLI::App* add_command(const std::string& name, const std::string& help) {
    CLI::App* command = app_.add_subcommand(name, help);
    command->fallthrough()->allow_extras();
    command->footer("Before or after it: every flag that pipetop --help lists.");
    return command;
  }

  void add_run_flags() {
    duration_ = run_->add_option_function<std::string>(
        "--duration",
        [this](const std::string& t) { line_.run.duration_ns = duration_of("--duration", t, 1); },
        "measure for this long, 5s by default");
    duration_->type_name("TIME")->take_last();
    bytes_ = run_->add_option_function<std::string>(
        "--bytes,--bytes_to_pipe",
        [this](const std::string& t) { line_.run.bytes = bytes_of("--bytes", t); },
        "measure until this much was read, instead");
    bytes_->type_name("SIZE")->take_last();
    add_time("--warmup", line_.run.warmup_ns, 0, "leave out the first, 300ms by default");
    add_time("--interval", line_.run.interval_ns, kMinIntervalNs,
             "say the rate this often, 1s by default");
    add_format(*run_, {"human", "json", "jsonl", "csv"});
    run_->add_flag_callback(
        "--csv", [this] { line_.format = Format::csv; }, "--format csv");
    run_->add_option("--output", line_.run.output, "write there instead of to stdout")
        ->type_name("FILE")
        ->take_last();
    run_->add_flag("--verbose", verbose_, "accepted for the article's scripts; no effect");
  }

  void add_doctor_flags() {
    add_format(*doctor_, {"human", "json"});
    doctor_->add_flag("--overhead", line_.overhead,
                      "measure what the observers cost, under the top rung and a blocking one");
    doctor_
        ->add_option_function<std::string>(
            "--rounds",
            [this](const std::string& n) {
              line_.overhead_rounds = static_cast<int>(number_of("--rounds", n, 1, kMaxRounds));
            },
            "of that measurement, 15 by default")
        ->type_name("N")
        ->take_last();
  }

  void add_time(const std::string& flag, uint64_t& target, uint64_t least,
                const std::string& help) {
    run_->add_option_function<std::string>(
            flag,
            [=, &target](const std::string& text) { target = duration_of(flag, text, least); },
            help)
        ->type_name("TIME")
        ->take_last();
  }

  void add_format(CLI::App& app, Names names) {
    const auto choose = [this, names](const std::string& text) {
      if (std::ranges::find(names, text) == names.end())
        throw Error(fmt::format("--format: \"{}\" is not one of its values: give {}", text,
                                join_choices(names)));
      line_.format = static_cast<Format>(std::ranges::find(kFormats, text) - kFormats.begin());
    };
    app.add_option_function<std::string>("--format", choose, join_choices(names))
        ->type_name("FORMAT")
        ->take_last();
  }

  Command command() const {
    if (default_config_) return Command::default_config;
    if (run_->parsed()) return Command::run;
    if (doctor_->parsed()) return Command::doctor;
    return presets_->parsed() ? Command::presets : Command::dashboard;
  }

  void check_run() const {
    if (duration_->count() > 0 && bytes_->count() > 0)
      throw Error("--duration and --bytes exclude each other: give one of them");
    const auto commands = app_.get_subcommands();
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
    if (std::ranges::find(kLaterCommands, word) != kLaterCommands.end())
      return fmt::format("\"{}\" is not in this version: give run, doctor or presets", word);
    if (!app_.get_subcommands().empty())
      return fmt::format("\"{}\" is one word too many: see pipetop {} --help", word,
                         app_.get_subcommands().front()->get_name());
    constexpr std::array<std::string_view, 3> kCommands = {"run", "doctor", "presets"};
    const auto near = nearest(word, kCommands);
    return fmt::format(
        "there is no command \"{}\": {}", word,
        near ? fmt::format("did you mean {}?", *near)
             : fmt::format("give {}, or none for the dashboard", join_choices(kCommands)));
  }

  static std::vector<std::string> flags_of(const CLI::App& app) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    return flags;
  }

  std::string unknown_flag(const std::string& word) const {
    std::vector<std::string> flags = flags_of(app_);
    for (const CLI::App* command : app_.get_subcommands()) {
      const auto more = flags_of(*command);
      flags.insert(flags.end(), more.begin(), more.end());
    }
    const auto of_run = flags_of(*run_);
    if (!run_->parsed() && std::ranges::find(of_run, word) != of_run.end())
      return fmt::format("{} goes with a command that measures: pipetop run {} ...", word, word);
    const Names names(flags.begin(), flags.end());
    const auto near = nearest(word, names);
    return fmt::format("there is no flag {}: {}", word,
                       near ? fmt::format("did you mean {}?", *near) : "see pipetop --help");
  }

  // CLI11 says which option, but for programmers.
  static std::string explain(const CLI::ParseError& e) {
    const std::string words = e.what();
    const std::string name = words.substr(0, words.find(':'));
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) != nullptr && name.starts_with('-'))
      return fmt::format("{} needs a value: see pipetop --help", name);
    return fmt::format("{}: see pipetop --help", words.substr(0, words.find('\n')));
  }

  CommandLine line_;
  CLI::App app_{
      "An oscilloscope for Linux pipes: drives one, changes how, shows why it matters.\n"
      "Without a command: the dashboard.",
      "pipetop"};
  CLI::App *run_ = nullptr, *doctor_ = nullptr, *presets_ = nullptr;
  CLI::Option *duration_ = nullptr, *bytes_ = nullptr;
  bool default_config_ = false, verbose_ = false;
};

}  // namespace

CommandLine parse_command_line(std::span<const std::string> arguments) {
  return Parser().parse(arguments);
}

}  // namespace pipetop::tui

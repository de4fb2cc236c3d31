#include "tui/flags/misuse.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/watch/target.h"

namespace pipetop::tui {
namespace {

using enum Command;
using Commands = std::vector<Command>;

// Beside flags and the words without one, by their names in --help.
constexpr std::string_view kSetting = "setting";  // of our pipe: a preset, or a knob
constexpr std::string_view kStarted = "--";       // a command to start

struct Given {
  const CommandLine& line;
  const CLI::App& app;

  // What was given for a flag, its value if it has one. Nothing if it was not given.
  std::optional<std::string> value(std::string_view name) const {
    if (name == kSetting) return setting();
    if (name == kStarted) return line.watch.command.empty() ? std::nullopt : std::optional("--");
    auto of = app.get_subcommands();
    of.push_back(const_cast<CLI::App*>(&app));  // only to be looked at
    for (const CLI::App* one : of) {
      const CLI::Option* option = one->get_option_no_throw(std::string(name));
      if (option && option->count() > 0) return option->results().back();
    }
    return {};
  }
  std::optional<std::string> setting() const {
    if (!line.knobs.empty()) return line.knobs.front().text;
    return line.preset.empty() ? std::nullopt : std::optional("--preset " + line.preset);
  }
};

bool is_empty(const std::string& value) { return value.empty(); }
bool is_stdout(const std::string& value) { return value == "-"; }
// node_exporter reads no other files, and says nothing about them.
bool is_no_prom(const std::string& value) { return !value.ends_with(".prom"); }
bool is_no_process(const std::string& value) {
  if (value.empty()) return true;
  const WatchTarget target = parse_target(value);
  return target.pid == 0 || target.fd >= 0;
}
bool is_jsonl(const std::string& value) { return value == "jsonl"; }

// A flag that has no meaning in these commands beside others, or without one of them.
struct Misuse {
  enum class Beside : uint8_t { nothing, others, none_of_others } beside;
  Commands commands;
  std::string_view flag;
  std::vector<std::string_view> others;
  const char* words;                           // {0}: the flag's value; {1}: that of the other one
  bool (*is_wrong)(const std::string& value);  // of the other; else of the flag. Null: each is
};
using IsWrong = bool (*)(const std::string& value);
Misuse alone(Commands commands, std::string_view flag, const char* words,
             IsWrong is_wrong = nullptr) {
  return {Misuse::Beside::nothing, std::move(commands), flag, {}, words, is_wrong};
}
Misuse with(Commands commands, std::string_view flag, std::vector<std::string_view> others,
            const char* words, IsWrong is_wrong = nullptr) {
  return {Misuse::Beside::others, std::move(commands), flag, std::move(others), words, is_wrong};
}
Misuse without(Commands commands, std::string_view flag, std::vector<std::string_view> others,
               const char* words) {
  return {
      Misuse::Beside::none_of_others, std::move(commands), flag, std::move(others), words, nullptr};
}

// The first is said.
const std::vector<Misuse>& misuses() {
  static const std::vector<Misuse> all = {
      with({run, ladder}, "--duration", {"--bytes"},
           "--duration and --bytes exclude each other: give one of them"),
      alone({ladder}, "--preset", "--preset does not work with ladder: use --rungs {0},..."),
      alone({tune}, "--write", "--write and the result would both go to stdout: give a file",
            is_stdout),
      alone({exporter}, "--textfile",
            "--textfile {0}: node_exporter reads only *.prom: give {0}.prom", is_no_prom),
      // ---- talks ----
      with({present, rehearse}, "talk", {"--config"},
           "{0} and --config {1} are two talks: give one"),
      with({present}, "--replay", {"talk"},
           "--replay shows a recorded talk: give no config with it"),
      with({present}, "--replay", {"--fallback"},
           "--replay is the recording already: give no --fallback with it"),
      without({present}, "--take", {"--replay", "--fallback"},
              "--take chooses from a recording: give --replay FILE or --fallback FILE"),
      without({present}, "--loop", {"--auto"}, "--loop needs --auto: give for example --auto 20s"),
      // ---- the pipes of other programs ----
      alone({watch, view}, kSetting, "{0} is for a pipe of pipetop's own: remove it"),
      // A $(pgrep ...) that found nothing leaves this.
      alone({watch}, "target",
            "\"\" is no pipe: give a PID, PID:FD or a FIFO, or nothing for all pipes", is_empty),
      with({watch}, "--put-back",
           {"target", kStarted, "--once", "--format", "--duration", "--output", "--until"},
           "--put-back watches nothing: give nothing else with it"),
      with({watch}, "target", {kStarted},
           "{0} and a command to start are two things to watch: give one"),
      with({watch}, "--once", {kStarted}, "--once: a command is watched until it ends: remove it"),
      with({watch}, "--duration", {kStarted},
           "--duration: a command is watched until it ends: remove it"),
      with({watch}, kStarted, {"--output"},
           "--output: stdout is the command's: give a file, or /dev/fd/3 with 3>FILE", is_stdout),
      without({watch}, "--quiet", {kStarted},
              "--quiet is for a command to start: pipetop watch --quiet -- COMMAND"),
      without({watch}, "--exact", {"target", kStarted},
              "--exact counts in one pipeline: give a PID, PID:FD, a FIFO or -- COMMAND"),
      without({watch}, "--until", {"target", kStarted},
              "--until watches one pipeline: give a PID, PID:FD, a FIFO or -- COMMAND"),
      without({watch}, "--record", {"target", kStarted},
              "--record takes one pipeline, not the table of all pipes: give a PID, PID:FD, a FIFO "
              "or -- COMMAND"),
      without({watch}, "--tree", {"target", kStarted},
              "--tree is of a process: give a PID, or -- COMMAND"),
      with({watch}, "--tree", {"target"}, "--tree is of a process: give a PID, or -- COMMAND",
           is_no_process),
      with({watch}, "--sort", {"target"}, "--sort is for the table of all pipes: give no {1}"),
      with({watch}, "--sort", {kStarted}, "--sort is for the table of all pipes: give no command"),
      with({watch}, "--filter", {"target"}, "--filter is for the table of all pipes: give no {1}"),
      with({watch}, "--filter", {kStarted},
           "--filter is for the table of all pipes: give no command"),
      with({watch}, "--once", {"--format"},
           "--once prints one result, --format jsonl many: give json, or remove --once", is_jsonl),
      // ---- view ----
      with({view}, "--watchfd", {"file"}, "--watchfd moves nothing: give no file with it"),
      without({view}, "--error-skip-block", {"--skip-errors"},
              "--error-skip-block is of --skip-errors: give -E, too"),
      with({view}, "--remote", {"file", "--watchfd"},
           "--remote moves nothing: give no file, and no --watchfd, with it"),
      without({view}, "--stop-at-size", {"--size"},
              "--stop-at-size needs --size: give for example --size 10GiB"),
      // ---- recordings and pictures ----
      alone({replay}, kSetting, "{0}: a recording cannot be changed"),
      alone({shot}, "--watch", "--watch: \"\" is no pipe: give a PID, PID:FD or a FIFO", is_empty),
      with({shot}, "--replay", {"--watch", kStarted},
           "--replay and a pipeline are two pictures: give one"),
      with({shot}, "--watch", {kStarted},
           "{0} and a command to start are two things to watch: give one"),
      with({shot}, "--roof", {"--watch", kStarted},
           "--roof is for a pipe of pipetop's own: remove it"),
      with({shot}, kSetting, {"--watch", kStarted},
           "{0} is for a pipe of pipetop's own: remove it"),
      without({shot}, "--at", {"--replay"}, "--at needs --replay FILE"),
      with({shot}, "--scene", {"--all-scenes"},
           "--scene and --all-scenes exclude each other: give one"),
      without({shot}, "--scene", {"--replay"},
              "--scene needs the recording of a talk: give --replay FILE"),
      without({shot}, "--all-scenes", {"--replay"},
              "--all-scenes needs the recording of a talk: give --replay FILE"),
      with({shot}, "--scene", {"--at", "--keys"},
           "--scene is a scene at its end: remove --at and --keys"),
      with({shot}, "--all-scenes", {"--at", "--keys"},
           "--all-scenes is a scene at its end: remove --at and --keys"),
      with({shot}, "--all-scenes", {"--output"},
           "--all-scenes names the files itself: remove --output"),
      with({shot}, "--after", {"--replay"},
           "--after: a recording needs no time to settle: give --at"),
      with({shot}, kSetting, {"--replay"}, "{0}: a recording cannot be changed"),
  };
  return all;
}

// A flag of all commands that only some have a use for.
struct Use {
  std::string_view flag;
  Commands commands;
  const char* words;
};
const Use kUses[] = {
    {kStarted, {watch, shot}, "-- COMMAND is for pipetop watch and pipetop shot"},
    {"--roof", {dashboard, present, shot}, "--roof is for the dashboard: use pipetop limits"},
    {"--against", {dashboard}, "--against is for the dashboard: use pipetop compare"},
    {"--show", {dashboard}, "--show is for the dashboard: give no command"},
    {"--record",
     {dashboard, present, rehearse, run, watch},
     "--record is for the dashboard and pipetop present, rehearse, run and watch"},
    {"--folded",
     {dashboard, present, run},
     "--folded is for the dashboard and pipetop present and run"},
    {"--segments",
     {dashboard, present, run},
     "--segments is for the dashboard and pipetop present and run"},
};

bool is_among(Command command, const Commands& commands) {
  return std::ranges::find(commands, command) != commands.end();
}

// What is to be said; nothing if it isn't so.
std::optional<std::string> words_of(const Misuse& misuse, const Given& given) {
  const auto value = given.value(misuse.flag);
  if (!value) return {};
  const auto said_if_wrong = [&](const std::string& of, const std::string& other) {
    return misuse.is_wrong && !misuse.is_wrong(of)
               ? std::nullopt
               : std::optional(fmt::format(fmt::runtime(misuse.words), *value, other));
  };
  if (misuse.beside == Misuse::Beside::nothing) return said_if_wrong(*value, "");
  for (const std::string_view name : misuse.others)
    if (const auto other = given.value(name))
      return misuse.beside == Misuse::Beside::others ? said_if_wrong(*other, *other) : std::nullopt;
  return misuse.beside == Misuse::Beside::others ? std::nullopt : said_if_wrong(*value, "");
}

}  // namespace

void refuse_misuse(const CommandLine& line, const CLI::App& app) {
  const Given given{line, app};
  if (line.sweep && line.command != run)
    throw Error(fmt::format("--{} {}: several values need pipetop run", line.sweep->first->name,
                            line.sweep->second));
  if (line.compare.files.size() > 2 && !line.compare.svg.empty())
    throw Error("--svg draws two results: give one picture for each");
  for (const Use& use : kUses)
    if (!is_among(line.command, use.commands) && given.value(use.flag)) throw Error(use.words);
  for (const Misuse& misuse : misuses())
    if (is_among(line.command, misuse.commands))
      if (const auto words = words_of(misuse, given)) throw Error(*words);
}

}  // namespace pipetop::tui

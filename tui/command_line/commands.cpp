#include "tui/command_line/commands.h"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/version.h"
#include "engine/config/config.h"
#include "engine/config/find_config.h"
#include "engine/engine.h"
#include "engine/host/zero_copy_probe.h"
#include "engine/process/as_user.h"
#include "engine/registry/main_capabilities.h"
#include "engine/registry/workloads.h"
#include "tui/command_line/command_privileges.h"
#include "tui/command_line/output.h"
#include "tui/completion/completion.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

// By its name, or by its number as in the dashboard. Throws Error.
const Preset& preset_wanted(std::span<const Preset> presets, const std::string& word) {
  if (const Preset* named = find_preset(presets, word)) return *named;
  size_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  if (rest != end || word.empty() || error == std::errc::invalid_argument)
    throw Error("--preset: " + no_such_preset(presets, word));
  if (error != std::errc{} || number < 1 || number > presets.size())
    throw Error(fmt::format("--preset: there is no preset {}: give 1 to {}, or a name", word,
                            presets.size()));
  return presets[number - 1];
}

// They are two things: without BPF there is little to switch.
void explain_observers(const CommandLine& line, const Config& config) {
  const bool typed = (line.sweep && line.sweep->first->name == "observers") ||
                     std::ranges::any_of(line.knobs, [](const KnobFlag& knob) {
                       return knob.text.starts_with("--observers ");
                     });
  if (typed && config.bpf == BpfUse::off)
    say("BPF is off: all that --observers can switch is the ring's fill level");
}

struct Handler {
  Command command;
  int (*run)(const CommandLine& line);
};
constexpr Handler kHandlers[] = {
    {Command::dashboard, dashboard_command},
    {Command::run, run_command},
    {Command::watch, watch_command},
    {Command::view, view_command},
    {Command::ladder, ladder_command},
    {Command::tune, tune_command},
    {Command::limits, limits_command},
    {Command::doctor, doctor_command},
    {Command::present, present_command},
    {Command::rehearse, rehearse_command},
    {Command::notes, notes_command},
    {Command::shot, shot_command},
    {Command::presets,
     [](const CommandLine& line) {
       return print(line.format->print(presets_document(read_start(line).presets)));
     }},
    {Command::replay, replay_command},
    {Command::completion,
     [](const CommandLine& line) { return print(completion_script(line.shell)); }},
    {Command::complete_words,
     [](const CommandLine& line) {
       return print(
           print_candidates(candidates(line.words, list_commands(), config_directories())));
     }},
    {Command::manual, [](const CommandLine& line) { return print(help_text(line.topic)); }},
    {Command::default_config,
     [](const CommandLine& line) {
       return print(default_config_yaml(read_config(line.config).settings.workload));
     }},
    {Command::help, [](const CommandLine& line) { return print(line.help); }},
    {Command::version, [](const CommandLine&) { return print("pipetop " + kVersion + "\n"); }},
};

}  // namespace

Config resolve(const CommandLine& line, Config base, const char* no_color) {
  if (!line.preset.empty()) {
    const Preset& preset = preset_wanted(base.presets, line.preset);
    base.preset = preset.name;
    base.settings = preset.from(base.settings);
  }
  for (const KnobFlag& knob : line.knobs) knob.apply(base.settings);
  validate(base.settings);
  if (line.frequency_hz) base.frequency_hz = *line.frequency_hz;
  if (line.bpf_counters) base.bpf_counters = *line.bpf_counters;
  if (line.no_bpf) base.bpf = BpfUse::off;
  if (line.show) base.show = true;
  if (line.no_unicode) base.unicode = Choice::never;
  if (line.no_summary) base.summary = false;
  // https://no-color.org: any non-empty value; `always` in a config file is more
  // specific.
  const bool unwanted = no_color && *no_color != '\0' && base.color == Choice::automatic;
  if (line.no_color || unwanted) base.color = Choice::never;
  if (line.theme) base.theme = *line.theme;
  return base;
}

Config read_config(const std::string& name) {
  if (name.empty()) return default_config();
  const AsUser as_user(user_to_become());
  return load_config(find_config(name, config_directories(), say));
}

void keep_capabilities_for(const CommandLine& line, const Config& config) {
  std::vector<WorkloadEntry> used;
  for (const WorkloadEntry& entry : workloads()) {
    const auto has_it = [&](const Scene& s) { return s.settings.workload == entry.kind; };
    if (config.settings.workload == entry.kind || std::ranges::any_of(config.scenes, has_it))
      used.push_back(entry);
  }
  const unsigned unwanted = config.bpf == BpfUse::off ? kObserve : kNoUse;
  keep_main_capabilities(privileges_of(line).uses & ~unwanted, used);
}

Config read_start(const CommandLine& line) {
  Config config = resolve(line, read_config(line.config), std::getenv("NO_COLOR"));
  explain_observers(line, config);
  keep_capabilities_for(line, config);
  return config;
}

EngineOptions engine_options(const Config& config) {
  return {.settings = config.settings,
          .bpf = config.bpf,
          .bpf_counters = config.bpf_counters,
          .frequency_hz = config.frequency_hz};
}

std::string name_of(const Config& config) {
  const auto matches = [&](const Preset& preset) {
    return preset.from(config.settings) == config.settings;
  };
  const Preset* preset = find_preset(config.presets, config.preset);
  if (preset && matches(*preset)) return preset->name;
  const auto same = std::ranges::find_if(config.presets, matches);
  return same == config.presets.end() ? "custom" : same->name;
}

void require_vmsplice(const Settings& settings, const std::string& instead) {
  const WriteWith how = settings.pipe.write_with;
  if (how != WriteWith::vmsplice && how != WriteWith::tee) return;
  const ZeroCopyProbe probe = probe_zero_copy();
  if (probe.vmsplice_errno == 0) return;
  throw Error(fmt::format("{}: {}, or see pipetop doctor", probe.reason, instead),
              probe.vmsplice_errno == ENOSYS ? Exit::unsupported : Exit::refused);
}

void require_no_steps(const Settings& settings) {
  if (settings.pipe.single_step)
    throw Error("single_step waits for keys of the dashboard: remove it");
}

// What SIGQUIT asks for besides an end is a core. The status of a command that was watched is its
// own.
int run(const CommandLine& line) {
  // What a command gets that watch starts is not main's to give up; and view opens first.
  if (line.watch.command.empty() && line.command != Command::view)
    narrow_main_capabilities(privileges_of(line).uses);
  const int status = std::ranges::find(kHandlers, line.command, &Handler::command)->run(line);
  const bool quit = status == kSignalExit + SIGQUIT && line.watch.command.empty();
  return quit ? end_by(SIGQUIT) : status;
}

}  // namespace pipetop::tui

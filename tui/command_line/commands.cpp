#include "tui/command_line/commands.h"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/event_loop.h"
#include "engine/base/version.h"
#include "engine/config/config.h"
#include "engine/config/find_config.h"
#include "engine/engine.h"
#include "engine/host/machine_limits.h"
#include "engine/process/privileges.h"
#include "engine/process/proc_files.h"
#include "engine/workload/table/main_capabilities.h"
#include "engine/workload/table/workloads.h"
#include "tui/command_line/output.h"
#include "tui/completion/completion.h"
#include "tui/print/document.h"
#include "tui/widgets/ladder.h"

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

int presets_command(const CommandLine& line) {
  return print(line.format->print(presets_document(read_start(line).presets)));
}

int completion_command(const CommandLine& line) { return print(completion_script(line.shell)); }

int complete_words(const CommandLine& line) {
  return print(print_candidates(candidates(line.words, list_commands(), config_directories())));
}

int print_manual(const CommandLine& line) { return print(help_text(line.topic)); }

int print_default_config(const CommandLine& line) {
  return print(default_config_yaml(read_config(line.config).settings.workload));
}

int print_help(const CommandLine& line) { return print(line.help); }

int print_version(const CommandLine&) { return print("pipetop " + kVersion + "\n"); }

constexpr unsigned kRun = kObserve | kRunWorkers | kLargeRings;
constexpr unsigned kWatch = kObserve | kOtherProcesses;
constexpr unsigned kExport = kObserve | kSeeProcesses;
constexpr unsigned kTalk = kRun | kWatch;  // as its scenes need

constexpr CommandRow kRows[] = {
    {"pipetop", Command::dashboard, dashboard_command, kRun | kCallersFiles},
    {"run", Command::run, run_command, kRun | kCallersFiles},
    {"watch -- COMMAND", Command::watch, watch_command, kWatch | kSignalCommand | kCallersFiles,
     [](const CommandLine& line) { return !line.watch.command.empty(); }},
    {"watch --put-back", Command::watch, watch_command, kOtherProcesses,
     [](const CommandLine& line) { return line.watch.put_back; }},
    {"watch --once", Command::watch, watch_command, kWatch,
     [](const CommandLine& line) {
       return line.watch.headless && line.watch.output.empty() && line.record.empty();
     }},
    {"watch --output", Command::watch, watch_command, kWatch | kCallersFiles,
     [](const CommandLine& line) { return !line.watch.output.empty(); }},
    {"watch", Command::watch, watch_command, kWatch | kCallersFiles},
    {"view", Command::view, view_command, kNeighbours},
    {"ladder", Command::ladder, ladder_command, kRun | kCallersFiles},
    {"tune", Command::tune, tune_command, kRunWorkers | kLargeRings | kCallersFiles},
    {"limits", Command::limits, limits_command, kRun},
    {"doctor", Command::doctor, doctor_command, kEveryUse},
    {"shot --replay", Command::shot, shot_command, kNoUse,
     [](const CommandLine& line) { return !line.shot.replay.empty(); }},
    {"shot --watch", Command::shot, shot_command, kWatch | kSignalCommand | kCallersFiles,
     [](const CommandLine& line) {
       return !line.shot.watch.empty() || !line.watch.command.empty();
     }},
    {"shot", Command::shot, shot_command, kRun | kCallersFiles},
    {"presets", Command::presets, presets_command},
    {"replay", Command::replay, replay_command},
    {"present --replay", Command::present, present_replay, kNoUse,
     [](const CommandLine& line) { return !line.talk.replay.empty(); }},
    {"present", Command::present, present_command, kTalk | kCallersFiles},
    {"rehearse", Command::rehearse, rehearse_command, kTalk | kCallersFiles},
    {"notes", Command::notes, notes_command},
    {"compare", Command::compare, compare_command},
    {"export --textfile", Command::exporter, export_command, kExport | kCallersFiles,
     [](const CommandLine& line) { return !line.exporter.textfile.empty(); }},
    {"export", Command::exporter, export_command, kExport},
    {"completion", Command::completion, completion_command},
    {kCompleteWords, Command::complete_words, complete_words},
    {"help", Command::manual, print_manual},
    {"--default-config", Command::default_config, print_default_config},
    {"--help", Command::help, print_help},
    {"--version", Command::version, print_version},
};

std::string or_none(uint64_t set) { return set != 0 ? capability_names(set) : "none"; }

}  // namespace

std::span<const CommandRow> command_table() { return kRows; }

const CommandRow& command_row(const CommandLine& line) {
  const auto found = std::ranges::find_if(kRows, [&](const CommandRow& row) {
    return row.command == line.command && (!row.applies || row.applies(line));
  });
  if (found == std::end(kRows)) throw Error("this command has no row in commands.cpp");
  return *found;
}

std::string privileges_text(const CommandRow& row) {
  const MainCapabilities root = main_capabilities(row.uses, workloads(), false);
  const MainCapabilities sudo = main_capabilities(row.uses, workloads(), true);
  std::string text = or_none(root.in_effect);
  if (root.passed_on != 0) text += "; for workers " + capability_names(root.passed_on);
  if (sudo.permitted() == 0) return text + "; under sudo it becomes the calling user";
  if (const uint64_t more = sudo.in_effect & ~root.in_effect)
    text += "; under sudo also " + capability_names(more);
  if (sudo.on_demand != 0)
    text += "; under sudo, for a moment, " + capability_names(sudo.on_demand);
  return text;
}

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
  unsigned unwanted = config.bpf == BpfUse::off ? kObserve : kNoUse;
  const auto watches = [](const Scene& s) { return s.watch.has_value(); };
  const bool is_talk = line.command == Command::present || line.command == Command::rehearse;
  if (is_talk && std::ranges::none_of(config.scenes, watches)) unwanted |= kOtherProcesses;
  keep_main_capabilities(command_row(line).uses & ~unwanted, used);
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
  const Preset* preset = find_preset(config.presets, config.preset);
  if (preset && preset->from(config.settings) == config.settings) return preset->name;
  const Preset* same = find_exact(config.presets, config.settings);
  return same ? same->name : "custom";
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
  const bool watches_one = line.command == Command::watch && !line.watch.command.empty();
  if (!watches_one && line.command != Command::view)
    narrow_main_capabilities(command_row(line).uses);
  constexpr unsigned kNeedsProc = kObserve | kRunWorkers | kOtherProcesses | kSeeProcesses;
  const bool needs_proc = (command_row(line).uses & kNeedsProc) != 0;
  // The doctor goes on without it, and so does a command that is watched.
  if (needs_proc && line.command != Command::doctor && !watches_one) require_proc();
  const int status = command_row(line).run(line);
  const bool quit = status == kSignalExit + SIGQUIT && !watches_one;
  return quit ? end_by(SIGQUIT) : status;
}

}  // namespace pipetop::tui

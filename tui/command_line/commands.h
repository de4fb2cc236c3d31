// Every command of pipetop, and the settings they start with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/config/config.h"
#include "engine/engine.h"
#include "engine/experiment/compare.h"
#include "engine/experiment/ladder.h"
#include "engine/recording/recording.h"
#include "engine/workload/table/main_capabilities.h"
#include "tui/draw/picture.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

class ProgressLine;
class RecordingFile;

// Each returns the exit code and may throw Error. run() runs the given command.
int run(const CommandLine& line);
int run_command(const CommandLine& line);
int watch_command(const CommandLine& line);
int view_command(const CommandLine& line);
int ladder_command(const CommandLine& line);
int tune_command(const CommandLine& line);
int limits_command(const CommandLine& line);
int doctor_command(const CommandLine& line);
int dashboard_command(const CommandLine& line);
int replay_command(const CommandLine& line);
// A recorded talk, scene by scene.
int present_replay(const CommandLine& line);
int shot_command(const CommandLine& line);
int present_command(const CommandLine& line);
int rehearse_command(const CommandLine& line);
int notes_command(const CommandLine& line);
int compare_command(const CommandLine& line);
int export_command(const CommandLine& line);

// Whether the result is text.
inline bool is_for_people(const CommandLine& line) { return line.format == &formats().front(); }

// A command, or one of its modes, and what it may do beyond what everybody may.
struct CommandRow {
  std::string_view name;  // as it is typed
  Command command;
  int (*run)(const CommandLine& line);
  unsigned uses = kNoUse;  // see MainUse
  // The first that does counts; nullptr: always.
  bool (*applies)(const CommandLine& line) = nullptr;
};

std::span<const CommandRow> command_table();

// Throws Error if a command has no row.
const CommandRow& command_row(const CommandLine& line);

// Its capabilities in words, for the manual.
std::string privileges_text(const CommandRow& row);

// Throws Error for settings that wait for keys: only the dashboard has them.
void require_no_steps(const Settings& settings);

// What the run compares: the given range, else the workload's default comparison;
// nothing for a run of one setting. Throws Error.
std::optional<SweepPlan> sweep_plan(const CommandLine& line, const Config& config);

// By --format, else by the file's ending. Throws Error.
const PictureFormat& picture_format(const ShotRequest& shot);

// What `pipetop ladder` measures. `config` has the available presets. Throws Error for an unknown
// or duplicate rung, for conflicting knobs, and for flags without effect here.
LadderOptions ladder_options(const CommandLine& line, const Config& config);

// The knob flags as typed: "--pipe_size 1MiB --gift".
std::string knobs_typed(const CommandLine& line);

// pipetop help [TOPIC]: the topic, or the list of topics for "". A man page is roff if given with
// its section, "pipetop.1", and plain text otherwise. Throws Error.
std::string help_text(const std::string& topic);

// The initial settings: the config file, then --preset, then the knob flags. `no_color` is the
// variable NO_COLOR, nullptr when it is not set. Throws Error.
Config resolve(const CommandLine& line, Config base, const char* no_color);

// The config with that name or path; default_config() for "". It is read with the rights of the
// user who called sudo. Throws Error.
Config read_config(const std::string& name);

// What the command takes for the config's workload, and those of a talk's scenes: to be called when
// all files have been read, and before anything is started. Throws Error.
void keep_capabilities_for(const CommandLine& line, const Config& config);

// The config of --config, resolved; with the capabilities for it.
Config read_start(const CommandLine& line);

// The config of --config or of the argument, with the scenes of a talk. Throws Error if it has
// none, or if a flag would change what the scenes say.
Config read_talk(const CommandLine& line);

// Presents it by itself without a screen to have a recording: each scene for 6 s or longer, until
// it has settled. What a signal has ended is not kept.
void record_talk(const Config& config, RecordingFile& recording, Interrupts& interrupts);

// For a recording: the screen's options of the command line; all else is the recording's.
Config replay_config(const CommandLine& line, const Recording& recording);

// A result that `run`, `ladder` or `tune` has written, read with the rights of the user who called
// sudo. Throws Error.
StoredResult read_result(const std::string& path);

// Why it ends early, if it does.
void say_damage(const std::string& file, const Recording& recording);

// The options of the engine.
EngineOptions engine_options(const Config& config);

// The name of the settings: the preset that they equal, or "custom".
std::string name_of(const Config& config);

// The upper bound of --roof, in GiB/s; nothing without the flag. To be called before anything runs
// that would compete for the CPUs, if it has to be measured. Throws Error.
std::optional<double> find_roof(const CommandLine& line, const Config& config);

// Throws Error, with `instead` as the remedy, if the settings need vmsplice and it is not allowed
// here: the engine would measure write() instead.
void require_vmsplice(const Settings& settings, const std::string& instead);

}  // namespace pipetop::tui

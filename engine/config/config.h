// A config file: initial settings, presets, and options for the observers and the screen.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/talk.h"
#include "engine/model/pipeline.h"
#include "engine/model/settings.h"
#include "engine/model/tables.h"

namespace pipetop {

// Ranges, for the command line, too.
inline constexpr uint32_t kMinFrequencyHz = 10;
inline constexpr uint32_t kMaxFrequencyHz = 10'000;
inline constexpr uint32_t kMinFramesPerS = 1;
inline constexpr uint32_t kMaxFramesPerS = 60;

// By BpfCounters.
std::span<const std::string_view> bpf_counters_names();

// "there is no preset "x": did you mean y?"
std::string no_such_preset(std::span<const Preset> presets, std::string_view name);

enum class Choice { automatic, always, never };  // YAML: auto, always, never

// auto: dark or light, as the terminal's own background is; the others are named as in YAML.
enum class ThemeChoice : uint8_t { automatic, dark, light, high_contrast };
std::span<const std::string_view> theme_names();  // by ThemeChoice

struct Config {
  Settings settings;                         // to start with
  std::string preset;                        // the preset that `settings` came from
  std::vector<Preset> presets;               // built-in, then the file's, in its order
  std::vector<Scene> scenes;                 // of a talk, none in most files
  uint32_t most_series = kUsualSeries;       // of the exporter
  std::vector<PipelineRule> pipeline_rules;  // for it, in order
  BpfUse bpf = BpfUse::automatic;
  uint32_t frequency_hz = 0;  // 0: auto
  BpfCounters bpf_counters = BpfCounters::percpu;
  uint32_t frames_per_s = 20;
  Choice unicode = Choice::automatic;
  Choice color = Choice::automatic;
  bool show = false;    // the dashboard starts with the show
  bool summary = true;  // of the segments, after the dashboard
  ThemeChoice theme = ThemeChoice::automatic;
};

// Used without a file: the workload's own presets, starting with the first.
Config default_config(WorkloadKind kind = WorkloadKind::pipe);

// Throws Error with one line "file:line:column: what is wrong, and what is expected".
Config load_config(const std::string& path);
// The same from the file's text; `name` is its name in messages.
Config parse_config(std::string name, std::string text);

// default_config() as a commented YAML file that load_config() reads back.
std::string default_config_yaml(WorkloadKind kind = WorkloadKind::pipe);

}  // namespace pipetop

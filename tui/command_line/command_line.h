// What the person typed, as values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/settings.h"
#include "engine/snapshot.h"

namespace pipetop::tui {

enum class Command { dashboard, run, limits, doctor, presets, default_config, help, version };
enum class Format { human, json, jsonl, csv };

// One knob flag. They are applied in the order in which they were typed.
struct KnobFlag {
  std::string text;  // "--buf_size 4K", for messages
  std::function<void(Settings&)> apply;
};

struct RunRequest {
  uint64_t duration_ns = 5'000'000'000;
  uint64_t bytes = 0;  // instead of the duration, when not 0
  uint64_t warmup_ns = 300'000'000;
  uint64_t interval_ns = 1'000'000'000;
  std::string output;  // "" is stdout
};

// What the roof of the dashboard is to be.
struct RoofRequest {
  std::optional<double> gib_per_s;  // nothing: measured
};

struct CommandLine {
  Command command = Command::dashboard;
  std::string help;  // the text, when that is the command

  std::string config_path;  // "" for none
  std::string preset;       // "" for none
  std::vector<KnobFlag> knobs;
  std::optional<uint32_t> frequency_hz;
  std::string folded, segments;  // the files' paths, "" for none
  std::optional<BpfCounters> bpf_counters;
  std::optional<RoofRequest> roof;  // of the dashboard
  bool no_color = false, no_unicode = false, no_bpf = false;

  Format format = Format::human;
  RunRequest run;
  bool overhead = false;  // of doctor
  uint32_t overhead_rounds = 15;
  uint32_t limits_rounds = 9;
};

// `arguments` are without the program's name. Throws Error with one line that
// names the argument and the nearest right one.
CommandLine parse_command_line(std::span<const std::string> arguments);

}  // namespace pipetop::tui

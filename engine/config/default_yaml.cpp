#include <fmt/core.h>

#include <string>

#include "engine/base/text.h"
#include "engine/config/config.h"
#include "engine/config/limits.h"
#include "engine/registry/knobs.h"

namespace pipetop {
namespace {

constexpr size_t kCommentColumn = 28;

// "key: value            # comment"
std::string line(const std::string& entry, std::string_view comment) {
  return fmt::format("{:<{}} # {}\n", entry, kCommentColumn, comment);
}

std::string comment_of(const Knob& knob) {
  if (knob.kind != KnobKind::choice) return std::string(knob.help);
  return fmt::format("{}: {}", join_choices(knob.values), knob.help);
}

// Commented out: a knob that is given overrides the preset.
std::string knob_lines() {
  const Settings defaults;
  std::string text;
  for (const Knob& knob : knobs_of(defaults)) {
    if (knob.name.find('.') != knob.name.npos) continue;
    text += line(fmt::format("# {}: {}", knob.name, knob.get(defaults)), comment_of(knob));
  }
  return text;
}

}  // namespace

std::string default_config_yaml() {
  const Config c = default_config();
  std::string text = "# pipetop: every key with its default; all of them are optional.\n\n";
  text += line("workload: pipe", "what is driven");
  text += line("preset: " + c.preset, "where to start");
  text += "\n# Knobs override the preset:\n" + knob_lines();
  text +=
      "# Per role, where the knob allows it; a CPU makes the placement cpus:\n"
      "# writer: {cpu: 0, wait: busy}\n"
      "# reader: {cpu: 1, wait: busy}\n\n";
  text +=
      "# Offered beside the built-in presets (pipetop presets lists them), in this order. A\n"
      "# preset starts from the knobs' defaults, and takes a built-in's place by its name.\n"
      "presets: []\n"
      "#  - name: big_ring\n"
      "#    title: A one-MiB ring\n"
      "#    pipe_size: 1MiB\n\n";
  text += "observe:\n";
  text +=
      line(fmt::format("  frequency_hz: {}", c.frequency_hz),
           fmt::format("samples a second on each CPU, {} to {}", kMinFrequencyHz, kMaxFrequencyHz));
  text += line("  bpf: auto", "auto or off");
  text += line("  bpf_counters: percpu", "percpu: a record a CPU; shared: one, with atomic adds");
  text += "\nscreen:\n";
  text += line(fmt::format("  frames_per_s: {}", c.frames_per_s),
               fmt::format("{} to {}", kMinFramesPerS, kMaxFramesPerS));
  text += line("  unicode: auto", "auto, always or never; auto goes by the locale");
  text += line("  color: auto", "auto, always or never; auto goes by the terminal and NO_COLOR");
  return text;
}

}  // namespace pipetop

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/config/config.h"
#include "engine/registry/workloads.h"

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

// Commented out, because a knob overrides the preset.
std::string knob_lines(const Settings& defaults) {
  std::string text;
  for (const Knob& knob : knobs_of(defaults)) {
    if (knob.name.find('.') != knob.name.npos) continue;
    text += line(fmt::format("# {}: {}", knob.name, knob.get(defaults)), comment_of(knob));
  }
  return text;
}

// "# writer: {wait: block, cpu: 0}", one line per role with its own knobs.
std::string role_lines(const Settings& defaults) {
  std::string text;
  for (const Role role : roles_of(defaults)) {
    const std::string prefix = std::string(role_name(defaults, role)) + ".";
    std::vector<std::string> values;
    for (const Knob& knob : knobs_of(defaults)) {
      if (!knob.name.starts_with(prefix)) continue;
      const auto value =
          knob.kind == KnobKind::cpu ? std::to_string(int(role)) : knob.get(defaults);
      values.push_back(fmt::format("{}: {}", knob.name.substr(prefix.size()), value));
    }
    if (!values.empty())
      text += fmt::format("# {}: {{{}}}\n", role_name(defaults, role), fmt::join(values, ", "));
  }
  return text.empty() ? text : "# Per role; a CPU sets placement to cpus:\n" + text;
}

// An example, commented out.
std::string preset_example(const Settings& defaults) {
  const Knob& knob = knobs_of(defaults).front();
  return fmt::format("#  - name: mine\n#    title: A preset of my own\n#    {}: {}\n", knob.name,
                     knob.get(defaults));
}

}  // namespace

std::string default_config_yaml(WorkloadKind kind) {
  const Config c = default_config(kind);
  Settings defaults;
  defaults.workload = kind;
  std::string text = "# pipetop: every key with its default; all keys are optional.\n\n";
  text += line(fmt::format("workload: {}", terms_of(kind).name), "what to run");
  text += line("preset: " + c.preset, "the initial preset");
  text += "\n# Knobs override the preset:\n" + knob_lines(defaults) + role_lines(defaults);
  text +=
      "\n# Presets to add to the built-in ones (pipetop presets lists them), in this order. A\n# "
      "preset starts from the knobs' defaults, and replaces a built-in preset of its "
      "name.\npresets: []\n";
  text += preset_example(defaults);
  text +=
      "\n# Scenes of a talk, for pipetop present and rehearse (pipetop help talk):\nscenes: []\n#  "
      "- title: The first scene\n#    caption: What it shows.\n";
  text += "\nobserve:\n";
  text +=
      line("  frequency_hz: auto", fmt::format("samples per second on each CPU: auto, or {} to {}",
                                               kMinFrequencyHz, kMaxFrequencyHz));
  text += line("  bpf: auto", "auto or off");
  text += line("  bpf_counters: percpu",
               "percpu: one record per CPU; shared: a single one, with atomic adds");
  text += "\nscreen:\n";
  text += line(fmt::format("  frames_per_s: {}", c.frames_per_s),
               fmt::format("{} to {}", kMinFramesPerS, kMaxFramesPerS));
  text += line("  unicode: auto", "auto, always or never; auto follows the locale");
  text += line("  color: auto", "auto, always or never; auto follows the terminal and NO_COLOR");
  text += line("  show: false", "true: start with the show, for an audience");
  text += line("  summary: true", "print the segments and their rates when the dashboard ends");
  text += line("  theme: auto", join_choices(theme_names()));
  return text;
}

}  // namespace pipetop

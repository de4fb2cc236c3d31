#include "engine/config/config.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/config/knob_nodes.h"
#include "engine/config/yaml_document.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

using Names = std::vector<std::string_view>;

constexpr size_t kMaxNameBytes = 40, kMaxPatternBytes = 200;

// Each array is indexed by its enumeration.
constexpr std::array<std::string_view, 3> kChoices = {"auto", "always", "never"};
constexpr std::array<std::string_view, 2> kSwitch = {"false", "true"};
constexpr std::array<std::string_view, 4> kThemes = {"auto", "dark", "light", "high-contrast"};
constexpr std::array<std::string_view, 2> kBpfUses = {"auto", "off"};
constexpr std::array<std::string_view, 2> kBpfCounters = {"percpu", "shared"};

// A name is used as a flag's value, or a label's, and written to files.
std::string read_name(const YamlNode& node) {
  const std::string& name = node.scalar("name", "a short name");
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  if (name.empty() || name.size() > kMaxNameBytes || !std::ranges::all_of(name, fits))
    node.fail(fmt::format("name: \"{}\" is not a valid name: give 1 to {} letters, digits, _ or -",
                          name, kMaxNameBytes));
  return name;
}

Preset read_preset(const YamlNode& node, WorkloadKind kind) {
  check_keys(node, "a preset", kind, {"name", "title"});
  for (const Knob& knob : common_knobs())
    if (const YamlNode* value = node.find(knob.name))
      value->fail(fmt::format("{}: no preset changes it: give it outside of presets", knob.name));
  Preset preset;
  preset.settings.workload = kind;
  const YamlNode* name = node.find("name");
  if (!name) node.fail("a preset without a name: give it one");
  preset.name = read_name(*name);
  const YamlNode* title = node.find("title");
  preset.title = title ? read_title(*title) : preset.name;
  apply_knobs(node, preset.settings);
  return preset;
}

// Replaces a built-in preset of the same name, or is appended. It does not inherit
// the article's figure.
void offer(std::vector<Preset>& presets, Preset preset) {
  const auto same = std::ranges::find(presets, preset.name, &Preset::name);
  if (same == presets.end()) {
    presets.push_back(std::move(preset));
    return;
  }
  if (same->settings == preset.settings) preset.article_gib_per_s = same->article_gib_per_s;
  *same = std::move(preset);
}

void read_presets(const YamlNode& root, Config& config) {
  const YamlNode* list = root.find("presets");
  if (!list || list->kind == YamlNode::Kind::null) return;
  if (list->kind != YamlNode::Kind::sequence)
    list->fail(fmt::format("presets is a list of \"- name: ...\", not {}", describe(list->kind)));
  std::vector<std::string> names;
  for (const YamlNode& item : list->values) {
    Preset preset = read_preset(item, config.settings.workload);
    if (std::ranges::find(names, preset.name) != names.end())
      item.fail(fmt::format("a second preset named \"{}\": give it another name", preset.name));
    names.push_back(preset.name);
    offer(config.presets, std::move(preset));
  }
}

void read_start(const YamlNode& root, Config& config) {
  if (const YamlNode* node = root.find("preset")) {
    const std::string& name = node->scalar("preset", "the name of a preset");
    const Preset* preset = find_preset(config.presets, name);
    if (!preset) node->fail("preset: " + no_such_preset(config.presets, name));
    config.preset = preset->name;
    config.settings = preset->settings;
  }
  apply_knobs(root, config.settings);
}

void read_observe(const YamlNode& root, Config& config) {
  const YamlNode* map = root.find("observe");
  if (!map) return;
  map->check_map("observe", Names{"frequency_hz", "bpf", "bpf_counters"});
  map->read("frequency_hz", kMinFrequencyHz, kMaxFrequencyHz, config.frequency_hz, "auto");
  map->read("bpf", kBpfUses, config.bpf);
  map->read("bpf_counters", kBpfCounters, config.bpf_counters);
}

void read_screen(const YamlNode& root, Config& config) {
  const YamlNode* map = root.find("screen");
  if (!map) return;
  map->check_map("screen",
                 Names{"frames_per_s", "unicode", "color", "theme", "show", "summary", "stage"});
  map->read("frames_per_s", kMinFramesPerS, kMaxFramesPerS, config.frames_per_s);
  map->read("unicode", kChoices, config.unicode);
  map->read("color", kChoices, config.color);
  map->read("theme", kThemes, config.theme);
  map->read("stage", kSwitch, config.show);  // as `show` was called first
  map->read("show", kSwitch, config.show);
  map->read("summary", kSwitch, config.summary);
}

PipelineRule read_rule(const YamlNode& node) {
  node.check_map("a pipeline", Names{"tools", "name", "keep"});
  PipelineRule rule;
  const YamlNode* const tools = node.find("tools");
  if (!tools)
    node.fail("a pipeline without tools: give a pattern for their names, as \"tar|*|ssh\"");
  rule.tools = tools->scalar("tools", "a pattern as \"tar|*|ssh\"");
  if (rule.tools.empty() || rule.tools.size() > kMaxPatternBytes)
    tools->fail(fmt::format("tools: give 1 to {} bytes", kMaxPatternBytes));
  if (const YamlNode* name = node.find("name")) rule.name = read_name(*name);
  node.read("keep", kSwitch, rule.keep);
  return rule;
}

void read_export(const YamlNode& root, Config& config) {
  const YamlNode* map = root.find("export");
  if (!map) return;
  map->check_map("export", Names{"most_series", "pipelines"});
  map->read("most_series", 1, kMostSeries, config.most_series);
  const YamlNode* list = map->find("pipelines");
  if (!list || list->kind == YamlNode::Kind::null) return;
  if (list->kind != YamlNode::Kind::sequence)
    list->fail(
        fmt::format("pipelines is a list of \"- tools: ...\", not {}", describe(list->kind)));
  for (const YamlNode& item : list->values) config.pipeline_rules.push_back(read_rule(item));
}

Config config_of(const YamlNode& root) {
  const WorkloadKind kind = read_workload(root, WorkloadKind::pipe);
  check_keys(root, "a config", kind,
             {"workload", "preset", "presets", "scenes", "observe", "export", "screen"});
  Config config = default_config(kind);
  read_presets(root, config);
  read_start(root, config);
  config.scenes = read_scenes(root, config);
  read_observe(root, config);
  read_export(root, config);
  read_screen(root, config);
  return config;
}

}  // namespace

std::span<const std::string_view> bpf_counters_names() { return kBpfCounters; }

std::span<const std::string_view> theme_names() { return kThemes; }

std::string no_such_preset(std::span<const Preset> presets, std::string_view name) {
  Names names;
  for (const Preset& preset : presets) names.push_back(preset.name);
  const auto near = nearest(name, names);
  return fmt::format(
      "there is no preset \"{}\": {}", name,
      near ? fmt::format("did you mean {}?", *near) : fmt::format("give {}", join_choices(names)));
}

Config default_config(WorkloadKind kind) {
  Config config;
  const auto built_in = workload(kind).presets();
  config.presets.assign(built_in.begin(), built_in.end());
  config.preset = config.presets.front().name;
  config.settings = config.presets.front().settings;
  return config;
}

Config load_config(const std::string& path) { return config_of(load_yaml(path)); }

Config parse_config(std::string name, std::string text) {
  return config_of(parse_yaml(std::move(name), std::move(text)));
}

// ---- the defaults -----------------------------------------------------------

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
  text += "\nexport:\n";
  text += line(fmt::format("  most_series: {}", c.most_series),
               fmt::format("1 to {} of pipes, of stages and of bottlenecks", kMostSeries));
  text +=
      "  # Names for pipelines; keep: false leaves them out (pipetop help export):\n"
      "  pipelines: []\n  #  - {tools: \"tar|*|ssh\", name: backup}\n";
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

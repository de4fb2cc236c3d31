#include "engine/config/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/base/text.h"
#include "engine/config/yaml_document.h"
#include "engine/config/yaml_map.h"
#include "engine/registry/workloads.h"

namespace pipetop {
namespace {

using Names = std::vector<std::string_view>;

constexpr size_t kMaxNameBytes = 40;
constexpr size_t kMaxTitleBytes = 120;

// Each array is indexed by its enumeration.
constexpr std::array<std::string_view, 3> kChoices = {"auto", "always", "never"};
constexpr std::array<std::string_view, 2> kBpfUses = {"auto", "off"};
constexpr std::array<std::string_view, 2> kBpfCounters = {"percpu", "shared"};

Names with_knobs(WorkloadKind kind, std::initializer_list<std::string_view> own) {
  Names names(own);
  const Names knobs = knob_keys(kind);
  names.insert(names.end(), knobs.begin(), knobs.end());
  return names;
}

// First of all: it determines the knobs.
WorkloadKind read_workload(const YamlDocument& document) {
  const YamlNode& root = document.root();
  if (root.kind != YamlNode::Kind::map) return {};
  const auto key = std::ranges::find(root.keys, "workload", &YamlNode::text);
  if (key == root.keys.end()) return {};
  Names names;
  for (const WorkloadEntry& entry : workloads()) names.push_back(entry.terms.name);
  const YamlNode& value = root.values[size_t(key - root.keys.begin())];
  return workloads()[choice_of(document, value, "workload", names)].kind;
}

// A name is used as a flag's value and written to files.
std::string read_name(const YamlMap& map) {
  const YamlNode* node = map.find("name");
  if (!node) map.document().fail(map.node().place, "a preset without a name: give it one");
  const std::string& name = scalar_of(map.document(), *node, "name", "a short name");
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  if (name.empty() || name.size() > kMaxNameBytes || !std::ranges::all_of(name, fits))
    map.document().fail(
        node->place,
        fmt::format("name: \"{}\" is not a valid name: give 1 to {} letters, digits, _ or -", name,
                    kMaxNameBytes));
  return name;
}

std::string read_title(const YamlMap& map, const std::string& name) {
  const YamlNode* node = map.find("title");
  if (!node) return name;
  const std::string& title = scalar_of(map.document(), *node, "title", "a line of text");
  const auto controls = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (title.size() > kMaxTitleBytes || std::ranges::any_of(title, controls))
    map.document().fail(node->place,
                        fmt::format("title: give one line of at most {} bytes", kMaxTitleBytes));
  return title;
}

Preset read_preset(const YamlDocument& document, const YamlNode& node, WorkloadKind kind) {
  const YamlMap map(document, node, "a preset", with_knobs(kind, {"name", "title"}));
  Preset preset;
  preset.settings.workload = kind;
  preset.name = read_name(map);
  preset.title = read_title(map, preset.name);
  apply_knobs(map, preset.settings);
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

void read_presets(const YamlMap& map, Config& config) {
  const YamlNode* list = map.find("presets");
  if (!list || list->kind == YamlNode::Kind::null) return;
  const YamlDocument& document = map.document();
  if (list->kind != YamlNode::Kind::sequence)
    document.fail(list->place, fmt::format("presets is a list of \"- name: ...\", not {}",
                                           describe(list->kind)));
  std::vector<std::string> names;
  for (const YamlNode& item : list->values) {
    Preset preset = read_preset(document, item, config.settings.workload);
    if (std::ranges::find(names, preset.name) != names.end())
      document.fail(item.place,
                    fmt::format("a second preset named \"{}\": give it another name", preset.name));
    names.push_back(preset.name);
    offer(config.presets, std::move(preset));
  }
}

void read_start(const YamlMap& map, Config& config) {
  if (const YamlNode* node = map.find("preset")) {
    const std::string& name = scalar_of(map.document(), *node, "preset", "the name of a preset");
    const Preset* preset = find_preset(config.presets, name);
    if (!preset)
      map.document().fail(node->place, "preset: " + no_such_preset(config.presets, name));
    config.preset = preset->name;
    config.settings = preset->settings;
  }
  apply_knobs(map, config.settings);
}

void read_observe(const YamlMap& root, Config& config) {
  const YamlNode* node = root.find("observe");
  if (!node) return;
  const YamlMap map(root.document(), *node, "observe",
                    Names{"frequency_hz", "bpf", "bpf_counters"});
  map.read("frequency_hz", kMinFrequencyHz, kMaxFrequencyHz, config.frequency_hz);
  map.read("bpf", kBpfUses, config.bpf);
  map.read("bpf_counters", kBpfCounters, config.bpf_counters);
}

void read_screen(const YamlMap& root, Config& config) {
  const YamlNode* node = root.find("screen");
  if (!node) return;
  const YamlMap map(root.document(), *node, "screen", Names{"frames_per_s", "unicode", "color"});
  map.read("frames_per_s", kMinFramesPerS, kMaxFramesPerS, config.frames_per_s);
  map.read("unicode", kChoices, config.unicode);
  map.read("color", kChoices, config.color);
}

}  // namespace

std::span<const std::string_view> bpf_counters_names() { return kBpfCounters; }

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

Config load_config(const std::string& path) {
  const YamlDocument document = YamlDocument::load(path);
  const WorkloadKind kind = read_workload(document);
  const YamlMap root(document, document.root(), "a config",
                     with_knobs(kind, {"workload", "preset", "presets", "observe", "screen"}));
  Config config = default_config(kind);
  read_presets(root, config);
  read_start(root, config);
  read_observe(root, config);
  read_screen(root, config);
  return config;
}

}  // namespace pipetop

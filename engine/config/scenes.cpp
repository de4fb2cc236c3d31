#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/config/knob_nodes.h"
#include "engine/model/pipeline.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

constexpr size_t kMaxScenes = 99;  // a number of two digits
constexpr size_t kMaxHighlightBytes = 64;
constexpr uint64_t kMaxWait_ns = 3600ull * 1'000'000'000;
constexpr double kMaxThan = 1e6;

// How much text fits beside a picture, and on a second terminal.
struct TextLimit {
  size_t lines, bytes_a_line;
};
constexpr TextLimit kCaption = {5, 100};
constexpr TextLimit kNotes = {40, 200};

// Indexed by its enumeration.
constexpr std::array<std::string_view, 7> kViews = {"ring", "functions", "tree",      "waiting",
                                                    "log",  "ladder",    "throughput"};

// Without the line ends and blanks at its end, which a block of YAML has.
std::string read_text(const YamlNode& scene, std::string_view key, TextLimit limit) {
  const YamlNode* node = scene.find(key);
  if (!node) return {};
  std::string text = node->scalar(key, "text");
  text.erase(text.find_last_not_of(" \n") + 1);
  if (const auto fault = find_text_fault(text))
    node->fail(
        fmt::format("{}: {}: remove it", key, fault->words.substr(0, fault->words.rfind(':'))));
  if (text.find_first_of("\r\t") != text.npos)
    node->fail(fmt::format("{}: a tab or a carriage return: give blanks and line feeds", key));
  const std::vector<std::string> lines = split(text, '\n');
  const auto too_long = [&](const std::string& line) { return line.size() > limit.bytes_a_line; };
  if (lines.size() > limit.lines || std::ranges::any_of(lines, too_long))
    node->fail(fmt::format("{}: give at most {} lines of at most {} bytes", key, limit.lines,
                           limit.bytes_a_line));
  return text;
}

std::string read_scene_title(const YamlNode& scene) {
  const YamlNode* node = scene.find("title");
  if (!node) scene.fail("a scene without a title: give it one");
  std::string title = read_title(*node);
  if (title.find_first_not_of(' ') == title.npos) node->fail("title is empty: give it words");
  return title;
}

// As the name of a function, which may be a compiler's ("copy.isra.0") or in brackets.
std::string read_name(const YamlNode& node, std::string_view key, const char* wanted) {
  const std::string& name = node.scalar(key, wanted);
  const auto prints = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
  if (name.empty() || name.size() > kMaxHighlightBytes || !std::ranges::all_of(name, prints))
    node.fail(fmt::format("{}: \"{}\" is not a name: give {}", key, name, wanted));
  return name;
}

std::string read_highlight(const YamlNode& scene) {
  const YamlNode* node = scene.find("highlight");
  if (!node) return {};
  return read_name(*node, "highlight", "a function's name, slots, verdict or rate");
}

// Of our own pipe.
std::string read_verdict(const YamlNode& node) {
  const std::string& name = node.scalar("verdict", "a verdict's name such as lock-bound");
  std::string known;
  for (int kind = 0; kind <= int(Verdict::Kind::cpu); ++kind) {
    const std::string_view is = name_of(static_cast<Verdict::Kind>(kind));
    if (name == is) return name;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", is);
  }
  node.fail(fmt::format("verdict: there is no \"{}\": give one of {}", name, known));
}

// Nothing if it is no time, or more than an hour.
std::optional<uint64_t> time_of_a_scene(const std::string& text) {
  try {
    const uint64_t ns = parse_duration_ns(text);
    if (ns > 0 && ns <= kMaxWait_ns) return ns;
  } catch (const Error&) {
  }
  return {};
}

SceneWait read_wait(const YamlNode& scene, WorkloadKind kind) {
  using For = SceneWait::For;
  const YamlNode* node = scene.find("wait");
  if (!node) return {};
  const std::string& text = node->scalar("wait", "settled, key, or a time such as 5s");
  if (text == "settled") return {For::settled};
  if (text == "key") return {For::key};
  const Knob* knob = find_knob(knobs_of(kind), "wait");
  if (knob && std::ranges::find(knob->values, text) != knob->values.end())
    node->fail(
        fmt::format("wait: \"{}\" is the knob, and here it is how long the scene lasts: "
                    "give \"writer: {{wait: {}}}\" and the same for reader",
                    text, text));
  if (const auto ns = time_of_a_scene(text)) return {For::time, *ns};
  node->fail(
      fmt::format("wait: \"{}\" is not how long a scene lasts: give settled, key, or a time "
                  "such as 5s, at most 1h",
                  text));
}

bool read_transition(const YamlNode& scene) {
  constexpr std::array<std::string_view, 2> kTransitions = {"none", "slow_motion"};
  enum class Transition : uint8_t { none, slow_motion } how = Transition::slow_motion;
  scene.read("transition", kTransitions, how);
  return how == Transition::slow_motion;
}

uint64_t read_planned(const YamlNode& scene) {
  const YamlNode* node = scene.find("planned");
  if (!node) return 0;
  const std::string& text = node->scalar("planned", "a time such as 90s");
  if (const auto ns = time_of_a_scene(text)) return *ns;
  node->fail(fmt::format("planned: \"{}\" is no time for a scene: give for example 90s, at most 1h",
                         text));
}

// What the speaker alone sees.
void read_for_the_speaker(const YamlNode& node, Scene& scene) {
  scene.notes = read_text(node, "notes", kNotes);
  scene.otherwise = read_text(node, "otherwise", kNotes);
  scene.planned_ns = read_planned(node);
}

// ">= 1.5"; of a rate also ">= 1.5 GiB/s".
Expectation read_comparison(const YamlNode& node, size_t of, std::string_view unit) {
  const bool rates = static_cast<Expectation::Of>(of) == Expectation::Of::rate;
  const std::string wanted = fmt::format("a comparison such as \">= 1.5{}{}\", in quotes",
                                         rates ? " " : "", rates ? unit : "");
  const std::string& text = node.scalar(kExpected[of], wanted);
  const auto is = std::ranges::find_if(
      kComparisons, [&](std::string_view sign) { return text.starts_with(sign); });
  if (is != kComparisons.end()) {
    const size_t begin = std::min(text.find_first_not_of(' ', is->size()), text.size());
    std::string_view number = std::string_view(text).substr(begin);
    if (rates && number.ends_with(unit)) number.remove_suffix(unit.size());
    number = number.substr(0, number.find_last_not_of(' ') + 1);
    const auto than = parse_all<double>(number);
    if (than && *than > 0 && *than <= kMaxThan)
      return {static_cast<Expectation::Of>(of),
              static_cast<Expectation::Is>(is - kComparisons.begin()), *than};
  }
  node.fail(fmt::format("{}: \"{}\" is not {}", kExpected[of], text, wanted));
}

Expectation read_expectation(const YamlNode& node, size_t of, std::string_view unit) {
  using Of = Expectation::Of;
  switch (static_cast<Of>(of)) {
    case Of::verdict:
      return {.of = Of::verdict, .name = read_verdict(node)};
    case Of::sees:
      return {.of = Of::sees, .name = read_name(node, "sees", "a function's name")};
    default:
      return read_comparison(node, of, unit);
  }
}

// What a ratio is of: a scene with a rate that can be compared.
void check_comparable(const YamlNode& node, const Scene& scene, std::span<const Scene> before,
                      size_t of) {
  if (static_cast<Expectation::Of>(of) == Expectation::Of::sees) return;
  if (!has_rate(scene))
    node.fail(fmt::format("{}: a {} in slow motion means nothing: remove it", kExpected[of],
                          of == size_t(Expectation::Of::verdict) ? "verdict" : "rate"));
  if (of == size_t(Expectation::Of::verdict) && scene.settings.workload != WorkloadKind::pipe)
    node.fail(
        fmt::format("verdict: workload {} has none: remove it", terms_of(scene.settings).name));
  if (of >= size_t(Expectation::Of::rate)) return;
  if (std::ranges::none_of(before, [&](const Scene& s) { return are_comparable(s, scene); }))
    node.fail(fmt::format("{}: no earlier scene has a rate in {} to compare with: remove it",
                          kExpected[of], unit_of(scene.settings).rate));
}

std::vector<Expectation> read_expect(const YamlNode& map, const Scene& scene,
                                     std::span<const Scene> before) {
  std::vector<Expectation> expect;
  const YamlNode* node = map.find("expect");
  if (!node) return expect;
  node->check_map("expect", kExpected);
  for (size_t of = 0; of < kExpected.size(); ++of) {
    const YamlNode* one = node->find(kExpected[of]);
    if (!one) continue;
    expect.push_back(read_expectation(*one, of, unit_of(scene.settings).rate));
    check_comparable(*one, scene, before, of);
  }
  return expect;
}

// From the file's own settings, if they are of the same workload; then the preset, then knobs.
void read_settings(const YamlNode& node, WorkloadKind kind, const Config& config, Scene& scene) {
  const bool same = kind == config.settings.workload;
  scene.settings = same ? config.settings : default_config(kind).settings;
  scene.settings.observers = config.settings.observers;
  if (const YamlNode* preset = node.find("preset")) {
    const std::span<const Preset> presets =
        presets_of(kind, config.settings.workload, config.presets);
    const std::string& name = preset->scalar("preset", "the name of a preset");
    const Preset* found = find_preset(presets, name);
    if (!found) preset->fail("preset: " + no_such_preset(presets, name));
    scene.preset = found->name;
    scene.settings = found->from(scene.settings);
  }
  apply_knobs(node, scene.settings, "wait");
}

// "-- tar c . | zstd", or what `pipetop watch` takes as its target.
SceneWatch read_watch(const YamlNode& node) {
  constexpr std::string_view kDashes = "--", kDigits = "0123456789";
  constexpr size_t kMostBytes = 1000;
  const std::string wanted = "\"-- COMMAND\", a PID, PID:FD or the path of a FIFO";
  const std::string& text = node.scalar("watch", wanted);
  if (text.size() > kMostBytes)
    node.fail(fmt::format("watch: give at most {} bytes, or put it into a script", kMostBytes));
  if (one_line(text) != text)
    node.fail("watch: a control character: give one line, or put it into a script");
  if (text.starts_with(kDashes)) {
    const size_t begin = text.find_first_not_of(' ', kDashes.size());
    if (begin == text.npos) node.fail("watch: -- needs a command: give \"-- tar c . | zstd\"");
    if (begin > kDashes.size()) return {.command = text.substr(begin), .target = {}};
  }
  const size_t colon = text.find(':');
  const bool is_process = text.find_first_not_of(kDigits) == std::min(colon, text.npos);
  const std::string fd = colon == text.npos ? "0" : text.substr(colon + 1);
  const bool is_descriptor = !fd.empty() && fd.find_first_not_of(kDigits) == fd.npos;
  if (text.empty() || text.front() == '-' || colon == 0 || (is_process && !is_descriptor))
    node.fail(fmt::format("watch: \"{}\" is nothing to watch: give {}", text, wanted));
  return {.command = {}, .target = text};
}

// It has nothing of what is measured.
Scene read_watching_scene(const YamlNode& node, const Config& config) {
  constexpr std::string_view kKeys[] = {"title", "caption", "notes", "planned", "watch", "wait"};
  node.check_map("a scene that watches", kKeys);
  Scene scene;
  scene.title = read_scene_title(node);
  scene.caption = read_text(node, "caption", kCaption);
  read_for_the_speaker(node, scene);
  scene.settings = config.settings;
  scene.wait = read_wait(node, config.settings.workload);
  scene.watch = read_watch(*node.find("watch"));
  return scene;
}

Scene read_scene(const YamlNode& node, const Config& config, std::span<const Scene> before) {
  // Before the keys are checked: which there are depends on it.
  if (node.kind != YamlNode::Kind::map) node.check_map("a scene", {});
  if (node.find("watch")) return read_watching_scene(node, config);
  const WorkloadKind kind = read_workload(node, config.settings.workload);
  check_keys(node, "a scene", kind,
             {"title", "caption", "notes", "planned", "preset", "workload", "view", "highlight",
              "wait", "transition", "expect", "otherwise", "watch"});
  Scene scene;
  scene.title = read_scene_title(node);
  scene.caption = read_text(node, "caption", kCaption);
  read_for_the_speaker(node, scene);
  read_settings(node, kind, config, scene);
  node.read("view", kViews, scene.view);
  scene.transition = read_transition(node);
  scene.highlight = read_highlight(node);
  scene.wait = read_wait(node, kind);
  scene.expect = read_expect(node, scene, before);
  if (const YamlNode* otherwise = node.find("otherwise"); otherwise && scene.expect.empty())
    otherwise->fail("otherwise: it is for a scene that expects something: add expect");
  return scene;
}

}  // namespace

std::vector<Scene> read_scenes(const YamlNode& root, const Config& config) {
  std::vector<Scene> scenes;
  const YamlNode* list = root.find("scenes");
  if (!list || list->kind == YamlNode::Kind::null) return scenes;
  if (list->kind != YamlNode::Kind::sequence)
    list->fail(fmt::format("scenes is a list of \"- title: ...\", not {}", describe(list->kind)));
  for (const YamlNode& item : list->values) {
    if (scenes.size() == kMaxScenes)
      item.fail(fmt::format("scene {}: a talk has at most {}", kMaxScenes + 1, kMaxScenes));
    scenes.push_back(read_scene(item, config, scenes));
  }
  return scenes;
}

}  // namespace pipetop

#include "engine/config/yaml_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// "writer.cpu" is in the role "writer".
bool in_role(const Knob& knob, std::string_view role) {
  return knob.name.starts_with(role) && knob.name.substr(role.size()).starts_with('.');
}

// The names of a role's knobs inside its map: "cpu", "wait".
std::vector<std::string_view> keys_of(std::string_view role, std::span<const Knob> knobs) {
  std::vector<std::string_view> keys;
  for (const Knob& knob : knobs)
    if (in_role(knob, role)) keys.push_back(knob.name.substr(role.size() + 1));
  return keys;
}

// Roles with knobs of their own.
std::vector<std::string_view> roles_of(WorkloadKind kind) {
  std::vector<std::string_view> roles;
  for (const std::string_view role : terms_of(kind).roles)
    if (!role.empty() && !keys_of(role, knobs_of(kind)).empty()) roles.push_back(role);
  return roles;
}

std::string wanted_by(const Knob& knob) {
  switch (knob.kind) {
    case KnobKind::size:
      return "a size such as 256KiB";
    case KnobKind::cpu:
      return "the number of a CPU";
    case KnobKind::number:
      return "a number";
    default:
      return join_choices(knob.values);
  }
}

// The nodes of the knobs' values in a map and its role maps, by the knob's name.
using KnobNodes = std::map<std::string_view, const YamlNode*>;

const YamlNode* node_of(const KnobNodes& nodes, std::string_view knob) {
  const auto found = nodes.find(knob);
  return found == nodes.end() ? nullptr : found->second;
}

void add_role(KnobNodes& nodes, const YamlMap& map, std::string_view role,
              std::span<const Knob> knobs) {
  const YamlNode* node = map.find(role);
  if (!node) return;
  const YamlMap inner(map.document(), *node, role, keys_of(role, knobs));
  for (const Knob& knob : knobs)
    if (in_role(knob, role))
      if (const YamlNode* value = inner.find(knob.name.substr(role.size() + 1)))
        nodes[knob.name] = value;
}

KnobNodes nodes_of(const YamlMap& map, WorkloadKind kind) {
  KnobNodes nodes;
  for (const std::string_view role : roles_of(kind)) add_role(nodes, map, role, knobs_of(kind));
  for (const Knob& knob : knobs_of(kind)) {
    const YamlNode* flat = map.find(knob.name);
    if (!flat) continue;
    const auto [earlier, is_only] = nodes.emplace(knob.name, flat);
    const YamlPlace a = flat->place, b = earlier->second->place;
    if (!is_only)
      map.document().fail(a.line > b.line ? a : b,
                          fmt::format("{} is given twice: keep one", knob.name));
  }
  return nodes;
}

void set_knob(const YamlDocument& document, const Knob& knob, const YamlNode& value,
              Settings& settings) {
  const std::string& text = scalar_of(document, value, knob.name, wanted_by(knob));
  try {
    knob.set(settings, text);
  } catch (const Error& e) {
    document.fail(value.place, fmt::format("{}: {}", knob.name, e.what()));
  }
}

// A CPU sets the placement to `cpus`, so another placement would be lost.
void check_placement(const YamlDocument& document, const KnobNodes& nodes) {
  const YamlNode* placement = node_of(nodes, "placement");
  const bool has_cpu = node_of(nodes, "writer.cpu") || node_of(nodes, "reader.cpu");
  if (placement && has_cpu && placement->text != to_text(Placement::cpus))
    document.fail(
        placement->place,
        fmt::format("placement {} and a CPU are both given: remove one of them", placement->text));
}

// A conflict between knobs is reported at the knob that its message begins with.
void check_together(const YamlMap& map, const KnobNodes& nodes, const Settings& settings) {
  try {
    validate(settings);
  } catch (const Error& e) {
    const std::string_view words = e.what();
    const Knob* first = find_knob(words.substr(0, words.find(' ')));
    const YamlNode* value = first ? node_of(nodes, first->name) : nullptr;
    map.document().fail((value ? *value : map.node()).place, words);
  }
}

}  // namespace

YamlMap::YamlMap(const YamlDocument& document, const YamlNode& node, std::string_view what,
                 std::span<const std::string_view> known)
    : document_(&document), node_(&node) {
  if (node.kind != YamlNode::Kind::map && node.kind != YamlNode::Kind::null)
    document.fail(node.place, fmt::format("{} is a map of \"key: value\" lines, not {}", what,
                                          describe(node.kind)));
  for (size_t i = 0; i < node.keys.size(); ++i) check_key(i, what, known);
}

void YamlMap::check_key(size_t index, std::string_view what,
                        std::span<const std::string_view> known) const {
  const YamlNode& key = node_->keys[index];
  if (std::ranges::find(known, key.text) == known.end()) {
    const auto near = nearest(key.text, known);
    document_->fail(key.place, fmt::format("{} has no key \"{}\": {}", what, key.text,
                                           near ? fmt::format("did you mean {}?", *near)
                                                : fmt::format("it takes {}", join_choices(known))));
  }
  const auto earlier = std::ranges::find(node_->keys, key.text, &YamlNode::text);
  if (&*earlier != &key)
    document_->fail(key.place, fmt::format("\"{}\" is given twice, first on line {}: keep one",
                                           key.text, earlier->place.line + 1));
}

const YamlNode* YamlMap::find(std::string_view key) const {
  const auto found = std::ranges::find(node_->keys, key, &YamlNode::text);
  if (found == node_->keys.end()) return nullptr;
  return &node_->values[size_t(found - node_->keys.begin())];
}

void YamlMap::read(std::string_view key, uint32_t least, uint32_t most, uint32_t& value) const {
  const YamlNode* node = find(key);
  if (!node) return;
  const std::string wanted = fmt::format("a whole number from {} to {}", least, most);
  const std::string& text = scalar_of(*document_, *node, key, wanted);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    document_->fail(node->place, fmt::format("{}: \"{}\" is not {}", key, text, wanted));
}

const std::string& scalar_of(const YamlDocument& document, const YamlNode& node,
                             std::string_view key, std::string_view wanted) {
  if (node.kind == YamlNode::Kind::scalar) return node.text;
  document.fail(node.place,
                fmt::format("{} is given {}: give {}", key, describe(node.kind), wanted));
}

size_t choice_of(const YamlDocument& document, const YamlNode& node, std::string_view key,
                 std::span<const std::string_view> choices) {
  const std::string wanted = join_choices(choices);
  const std::string& text = scalar_of(document, node, key, wanted);
  const auto found = std::ranges::find(choices, text);
  if (found == choices.end())
    document.fail(node.place,
                  fmt::format("{}: \"{}\" is not a valid value: give {}", key, text, wanted));
  return size_t(found - choices.begin());
}

std::vector<std::string_view> knob_keys(WorkloadKind kind) {
  std::vector<std::string_view> keys;
  for (const Knob& knob : knobs_of(kind)) keys.push_back(knob.name);
  for (const std::string_view role : roles_of(kind)) keys.push_back(role);
  return keys;
}

void apply_knobs(const YamlMap& map, Settings& settings) {
  const KnobNodes nodes = nodes_of(map, settings.workload);
  for (const Knob& knob : knobs_of(settings))
    if (const YamlNode* value = node_of(nodes, knob.name))
      set_knob(map.document(), knob, *value, settings);
  check_placement(map.document(), nodes);
  check_together(map, nodes, settings);
}

}  // namespace pipetop

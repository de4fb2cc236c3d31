#include "engine/config/knob_nodes.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

constexpr size_t kMaxTitleBytes = 120;

// The names of a role's knobs inside its map: "cpu" and "wait", from "writer.cpu" and
// "writer.wait".
KnobNames keys_of(std::string_view role, WorkloadKind kind) {
  KnobNames keys;
  for (const Knob& knob : knobs_of(kind))
    if (knob.name.starts_with(role) && knob.name.substr(role.size()).starts_with('.'))
      keys.push_back(knob.name.substr(role.size() + 1));
  return keys;
}

std::string wanted_by(const Knob& knob) {
  if (!knob.values.empty()) return join_choices(knob.values);
  if (knob.kind == KnobKind::size) return "a size such as 256KiB";
  return knob.kind == KnobKind::cpu ? "the number of a CPU" : "a number";
}

// The value of a knob: flat ("writer.cpu"), or in its role's own map.
const YamlNode* value_of(const YamlNode& map, std::string_view knob) {
  const size_t dot = knob.find('.');
  const YamlNode* flat = map.find(knob);
  const YamlNode* role = dot == knob.npos ? nullptr : map.find(knob.substr(0, dot));
  const YamlNode* inner = role ? role->find(knob.substr(dot + 1)) : nullptr;
  if (flat && inner)
    (flat->byte > inner->byte ? flat : inner)
        ->fail(fmt::format("{} is given twice: keep one", knob));
  return flat ? flat : inner;
}

// A CPU sets the placement to `cpus`, so another placement would be lost.
void check_placement(const YamlNode& map) {
  const YamlNode* placement = value_of(map, "placement");
  const bool has_cpu = value_of(map, "writer.cpu") || value_of(map, "reader.cpu");
  if (placement && has_cpu && placement->text != to_text(Placement::cpus))
    placement->fail(
        fmt::format("placement {} and a CPU are both given: remove one of them", placement->text));
}

// A conflict between knobs is reported at the knob that its message begins with.
void check_together(const YamlNode& map, const Settings& settings) {
  try {
    validate(settings);
  } catch (const Error& e) {
    const std::string_view words = e.what();
    const Knob* first = find_knob(words.substr(0, words.find(' ')));
    const YamlNode* value = first ? value_of(map, first->name) : nullptr;
    (value ? *value : map).fail(words);
  }
}

}  // namespace

void check_keys(const YamlNode& map, std::string_view what, WorkloadKind kind, KnobNames own) {
  for (const Knob& knob : knobs_of(kind)) own.push_back(knob.name);
  for (const std::string_view role : terms_of(kind).roles)
    if (!role.empty() && !keys_of(role, kind).empty()) own.push_back(role);
  for (const YamlNode& key : map.keys) {
    const Knob* knob = find_knob(key.text);
    if (!knob || std::ranges::find(own, key.text) != own.end()) continue;
    const std::string_view its = terms_of(workload_of(*knob)).name;
    key.fail(
        fmt::format("{} belongs to the {} workload, this is {}: remove it, or set workload: {}",
                    key.text, its, terms_of(kind).name, its));
  }
  map.check_map(what, own);
}

// In the table's order, so that the order of lines does not matter.
void apply_knobs(const YamlNode& map, Settings& settings, std::string_view besides) {
  for (const std::string_view role : terms_of(settings).roles)
    if (const YamlNode* knobs = map.find(role))
      knobs->check_map(role, keys_of(role, settings.workload));
  for (const Knob& knob : knobs_of(settings)) {
    if (knob.name == besides) continue;
    const YamlNode* value = value_of(map, knob.name);
    if (!value) continue;
    const std::string& text = value->scalar(knob.name, wanted_by(knob));
    try {
      knob.set(settings, text);
    } catch (const Error& e) {
      value->fail(fmt::format("{}: {}", knob.name, e.what()));
    }
  }
  check_placement(map);
  check_together(map, settings);
}

WorkloadKind read_workload(const YamlNode& map, WorkloadKind otherwise) {
  KnobNames names;
  for (const WorkloadEntry& entry : workloads()) names.push_back(entry.terms.name);
  size_t index =
      size_t(std::ranges::find(workloads(), otherwise, &WorkloadEntry::kind) - workloads().begin());
  map.read("workload", names, index);
  return workloads()[index].kind;
}

std::string read_title(const YamlNode& title) {
  const std::string& text = title.scalar("title", "a line of text");
  const auto breaks = [](char c) { return c == '\n' || c == '\r' || c == '\t'; };
  if (text.size() > kMaxTitleBytes || find_text_fault(text) || std::ranges::any_of(text, breaks))
    title.fail(fmt::format("title: give one line of at most {} bytes", kMaxTitleBytes));
  return text;
}

}  // namespace pipetop

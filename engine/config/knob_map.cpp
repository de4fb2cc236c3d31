#include "engine/config/knob_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// The names of a role's knobs inside its map: "cpu", "wait".
std::vector<std::string_view> keys_of(std::string_view role, std::span<const Knob> knobs) {
  std::vector<std::string_view> keys;
  const std::string prefix = std::string(role) + ".";
  for (const Knob& knob : knobs)
    if (knob.name.starts_with(prefix)) keys.push_back(knob.name.substr(prefix.size()));
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

// The node of each knob's value in a map and its role maps; nullptr if absent.
class KnobValues {
 public:
  KnobValues(const YamlMap& map, WorkloadKind kind)
      : map_(map), knobs_(knobs_of(kind)), values_(knobs_.size()) {
    for (const std::string_view role : roles_of(kind)) add_role(role);
    for (size_t i = 0; i < values_.size(); ++i) {
      const YamlNode* flat = map.find(knobs_[i].name);
      if (flat && values_[i]) fail_twice(knobs_[i], *flat, *values_[i]);
      if (flat) values_[i] = flat;
    }
  }

  const YamlNode* of(size_t knob_index) const { return values_[knob_index]; }
  // Also nullptr for anything that is not a knob of this workload.
  const YamlNode* of(std::string_view name) const {
    const auto found = std::ranges::find(knobs_, name, &Knob::name);
    return found == knobs_.end() ? nullptr : values_[size_t(found - knobs_.begin())];
  }

 private:
  void add_role(std::string_view role) {
    const YamlNode* node = map_.find(role);
    if (!node) return;
    const YamlMap inner(map_.document(), *node, role, keys_of(role, knobs_));
    const std::string prefix = std::string(role) + ".";
    for (size_t i = 0; i < values_.size(); ++i)
      if (knobs_[i].name.starts_with(prefix))
        values_[i] = inner.find(knobs_[i].name.substr(prefix.size()));
  }

  [[noreturn]] void fail_twice(const Knob& knob, const YamlNode& a, const YamlNode& b) const {
    const YamlNode& later = a.place.line > b.place.line ? a : b;
    map_.document().fail(later.place, fmt::format("{} is given twice: keep one", knob.name));
  }

  const YamlMap& map_;
  std::span<const Knob> knobs_;
  std::vector<const YamlNode*> values_;  // by the knob's index in the table
};

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
void check_placement(const YamlDocument& document, const KnobValues& values) {
  const YamlNode* placement = values.of("placement");
  const bool has_cpu = values.of("writer.cpu") || values.of("reader.cpu");
  if (placement && has_cpu && placement->text != to_text(Placement::cpus))
    document.fail(
        placement->place,
        fmt::format("placement {} and a CPU are both given: remove one of them", placement->text));
}

// A conflict between knobs is reported at the knob that its message begins with.
void check_together(const YamlMap& map, const KnobValues& values, const Settings& settings) {
  try {
    validate(settings);
  } catch (const Error& e) {
    const std::string_view words = e.what();
    const Knob* first = find_knob(words.substr(0, words.find(' ')));
    const YamlNode* value = first ? values.of(first->name) : nullptr;
    map.document().fail((value ? *value : map.node()).place, words);
  }
}

}  // namespace

std::vector<std::string_view> knob_keys(WorkloadKind kind) {
  std::vector<std::string_view> keys;
  for (const Knob& knob : knobs_of(kind)) keys.push_back(knob.name);
  for (const std::string_view role : roles_of(kind)) keys.push_back(role);
  return keys;
}

void apply_knobs(const YamlMap& map, Settings& settings) {
  const auto knobs = knobs_of(settings);
  const KnobValues values(map, settings.workload);
  for (size_t i = 0; i < knobs.size(); ++i)
    if (const YamlNode* value = values.of(i)) set_knob(map.document(), knobs[i], *value, settings);
  check_placement(map.document(), values);
  check_together(map, values, settings);
}

}  // namespace pipetop

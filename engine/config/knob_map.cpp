#include "engine/config/knob_map.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "engine/error.h"
#include "engine/knobs.h"
#include "engine/text.h"

namespace pipetop {
namespace {

constexpr std::array<Role, kRoles> kBothRoles = {Role::writer, Role::reader};

// "writer." and the like.
std::string prefix_of(Role role) { return std::string(to_text(role)) + "."; }

// What the knobs of a role are called inside its map: "cpu", "wait".
std::vector<std::string_view> keys_of(Role role) {
  std::vector<std::string_view> keys;
  const std::string prefix = prefix_of(role);
  for (const Knob& knob : knobs())
    if (knob.name.starts_with(prefix)) keys.push_back(knob.name.substr(prefix.size()));
  return keys;
}

std::string wanted_by(const Knob& knob) {
  switch (knob.kind) {
    case KnobKind::size:
      return "a size such as 256KiB";
    case KnobKind::cpu:
      return "the number of a CPU";
    default:
      return join_choices(knob.values);
  }
}

// Where each knob's value stands in a map and its role maps; nullptr if nowhere.
class KnobValues {
 public:
  explicit KnobValues(const YamlMap& map) : map_(map), values_(knobs().size()) {
    for (const Role role : kBothRoles) add_role(role);
    for (size_t i = 0; i < values_.size(); ++i) {
      const YamlNode* flat = map.find(knobs()[i].name);
      if (flat && values_[i]) fail_twice(knobs()[i], *flat, *values_[i]);
      if (flat) values_[i] = flat;
    }
  }

  const YamlNode* of(size_t knob_index) const { return values_[knob_index]; }
  const YamlNode* of(std::string_view name) const {
    return values_[size_t(&pipetop::knob(name) - knobs().data())];
  }

 private:
  void add_role(Role role) {
    const YamlNode* node = map_.find(to_text(role));
    if (!node) return;
    const YamlMap inner(map_.document(), *node, to_text(role), keys_of(role));
    const std::string prefix = prefix_of(role);
    for (size_t i = 0; i < values_.size(); ++i)
      if (knobs()[i].name.starts_with(prefix))
        values_[i] = inner.find(knobs()[i].name.substr(prefix.size()));
  }

  [[noreturn]] void fail_twice(const Knob& knob, const YamlNode& a, const YamlNode& b) const {
    const YamlNode& later = a.place.line > b.place.line ? a : b;
    map_.document().fail(later.place,
                         fmt::format("{} is given a second time: keep one", knob.name));
  }

  const YamlMap& map_;
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

// A CPU makes the placement `cpus`; another placement beside it would be lost.
void check_placement(const YamlDocument& document, const KnobValues& values) {
  const YamlNode* placement = values.of("placement");
  const bool has_cpu = values.of("writer.cpu") || values.of("reader.cpu");
  if (placement && has_cpu && placement->text != to_text(Placement::cpus))
    document.fail(
        placement->place,
        fmt::format("placement {} and a CPU chosen: leave one of the two out", placement->text));
}

// A conflict between knobs, told where the knob stands that it begins with.
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

std::vector<std::string_view> knob_keys() {
  std::vector<std::string_view> keys;
  for (const Knob& knob : knobs()) keys.push_back(knob.name);
  for (const Role role : kBothRoles) keys.push_back(to_text(role));
  return keys;
}

void apply_knobs(const YamlMap& map, Settings& settings) {
  const KnobValues values(map);
  for (size_t i = 0; i < knobs().size(); ++i)
    if (const YamlNode* value = values.of(i))
      set_knob(map.document(), knobs()[i], *value, settings);
  check_placement(map.document(), values);
  check_together(map, values, settings);
}

}  // namespace pipetop

// Strict access to a map of a YAML document: every key is known and unique, every
// value has the expected type. Knobs are flat ("buf_size"), or in a role's own map.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/yaml_document.h"
#include "engine/model/settings.h"

namespace pipetop {

// The text of a scalar. `key` and `wanted` ("a size such as 256KiB") are for
// the message.
const std::string& scalar_of(const YamlDocument& document, const YamlNode& node,
                             std::string_view key, std::string_view wanted);

// The index of the scalar among `choices`.
size_t choice_of(const YamlDocument& document, const YamlNode& node, std::string_view key,
                 std::span<const std::string_view> choices);

class YamlMap {
 public:
  // `what` names the map in messages: "a config", "observe". `known` is only used
  // by the constructor. An empty node is an empty map.
  YamlMap(const YamlDocument& document, const YamlNode& node, std::string_view what,
          std::span<const std::string_view> known);

  // nullptr if the key is absent.
  const YamlNode* find(std::string_view key) const;

  // Set `value` if the key is there.
  void read(std::string_view key, uint32_t least, uint32_t most, uint32_t& value) const;
  template <class Enum>
  void read(std::string_view key, std::span<const std::string_view> choices, Enum& value) const {
    if (const YamlNode* node = find(key))
      value = static_cast<Enum>(choice_of(*document_, *node, key, choices));
  }

  const YamlDocument& document() const { return *document_; }
  const YamlNode& node() const { return *node_; }

 private:
  void check_key(size_t index, std::string_view what,
                 std::span<const std::string_view> known) const;

  const YamlDocument* document_;
  const YamlNode* node_;
};

// The keys that apply_knobs() takes: every knob of the workload, and its roles that
// have knobs of their own.
std::vector<std::string_view> knob_keys(WorkloadKind kind);

// Sets every knob in the map, in the table's order, so that the order of lines does
// not matter, and validates the result.
void apply_knobs(const YamlMap& map, Settings& settings);

}  // namespace pipetop

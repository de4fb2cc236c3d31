// Strict access to a map of a YAML document: every key is known and unique, every
// value has the expected type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/config/yaml_document.h"

namespace pipetop {

class YamlMap {
 public:
  // `what` names the map in messages: "a config", "observe". `known` is only used
  // by the constructor. An empty node is an empty map.
  YamlMap(const YamlDocument& document, const YamlNode& node, std::string_view what,
          std::span<const std::string_view> known);

  // nullptr if the key is absent.
  const YamlNode* find(std::string_view key) const;

  const YamlDocument& document() const { return *document_; }
  const YamlNode& node() const { return *node_; }

 private:
  void check_key(size_t index, std::string_view what,
                 std::span<const std::string_view> known) const;

  const YamlDocument* document_;
  const YamlNode* node_;
};

// The text of a scalar. `key` and `wanted` ("a size such as 256KiB") are for
// the message.
const std::string& scalar_of(const YamlDocument& document, const YamlNode& node,
                             std::string_view key, std::string_view wanted);

uint32_t integer_of(const YamlDocument& document, const YamlNode& node, std::string_view key,
                    uint32_t least, uint32_t most);

// The index of the scalar among `choices`.
size_t choice_of(const YamlDocument& document, const YamlNode& node, std::string_view key,
                 std::span<const std::string_view> choices);

}  // namespace pipetop

// A small YAML file as our own tree, with the position of every node, and strict access to it.
//
// yaml-cpp stays behind this interface: its exceptions become Errors, and what a
// config does not need (anchors, tags, deep nesting, several documents) is
// rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pipetop {

struct TextFault {
  size_t byte;
  std::string words;
};

// The first byte that is not UTF-8 text.
std::optional<TextFault> find_text_fault(std::string_view text);

struct YamlSource {
  std::string name, text;

  // Throws Error with one line "name:line:column: words", for that byte of the text.
  [[noreturn]] void fail(size_t byte, std::string_view words) const;
  size_t line_of(size_t byte) const;  // from 1
};

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  std::shared_ptr<const YamlSource> source;
  size_t byte = 0;                    // where it is in the source
  std::string text = {};              // of a scalar
  std::vector<YamlNode> keys = {};    // of a map, all of them scalars
  std::vector<YamlNode> values = {};  // of a map, one per key; of a sequence, its items

  // This and all below throw Error as YamlSource::fail() does.
  [[noreturn]] void fail(std::string_view words) const { source->fail(byte, words); }

  // Rejects all but a map whose keys are unique and `known`; an empty node is an empty map.
  // `what` names the map in messages: "a config", "observe".
  void check_map(std::string_view what, std::span<const std::string_view> known) const;

  // nullptr if the key is absent.
  const YamlNode* find(std::string_view key) const;

  // The text of a scalar. `key` and `wanted` ("a size such as 256KiB") are for the message.
  const std::string& scalar(std::string_view key, std::string_view wanted) const;

  // The index of the scalar among `choices`.
  size_t choice(std::string_view key, std::span<const std::string_view> choices) const;

  // Set `value` if the key is there.
  // `zero` is a word that stands for 0, if there is one.
  void read(std::string_view key, uint32_t least, uint32_t most, uint32_t& value,
            std::string_view zero = {}) const;
  template <class Enum>
  void read(std::string_view key, std::span<const std::string_view> choices, Enum& value) const {
    if (const YamlNode* node = find(key)) value = static_cast<Enum>(node->choice(key, choices));
  }
};

// The root, null when the file is empty. Both throw Error; loading never blocks, and takes no
// directory, pipe or device.
YamlNode load_yaml(const std::string& path);
YamlNode parse_yaml(std::string name, std::string text);

// "a value", "a list", ...: the kind of a node, for messages.
std::string_view describe(YamlNode::Kind kind);

}  // namespace pipetop

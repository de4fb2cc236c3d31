#include "engine/config/yaml_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/base/text.h"

namespace pipetop {
namespace {

std::optional<uint32_t> parse_integer(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
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

const std::string& scalar_of(const YamlDocument& document, const YamlNode& node,
                             std::string_view key, std::string_view wanted) {
  if (node.kind == YamlNode::Kind::scalar) return node.text;
  document.fail(node.place,
                fmt::format("{} is given {}: give {}", key, describe(node.kind), wanted));
}

uint32_t integer_of(const YamlDocument& document, const YamlNode& node, std::string_view key,
                    uint32_t least, uint32_t most) {
  const std::string wanted = fmt::format("a whole number from {} to {}", least, most);
  const std::string& text = scalar_of(document, node, key, wanted);
  const auto value = parse_integer(text);
  if (!value || *value < least || *value > most)
    document.fail(node.place, fmt::format("{}: \"{}\" is not {}", key, text, wanted));
  return *value;
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

}  // namespace pipetop

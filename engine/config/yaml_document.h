// A small YAML file as our own tree, with the position of every node.
//
// yaml-cpp stays behind this interface: its exceptions become Errors, and what a
// config does not need (anchors, tags, deep nesting, several documents) is
// rejected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pipetop {

inline constexpr size_t kMaxYamlBytes = 1 << 20;
inline constexpr size_t kMaxYamlDepth = 16;
inline constexpr size_t kMaxYamlNodes = 10'000;

// A position in the text: line, and byte in the line, from 0.
struct YamlPlace {
  int line = 0;
  int byte = 0;
};

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  YamlPlace place;
  std::string text;              // of a scalar
  std::vector<YamlNode> keys;    // of a map, all of them scalars
  std::vector<YamlNode> values;  // of a map, one per key; of a sequence, its items
};

class YamlDocument {
 public:
  // All three throw Error with one line "name:line:column: words".
  static YamlDocument load(const std::string& path);
  static YamlDocument parse(std::string name, std::string text);
  [[noreturn]] void fail(YamlPlace place, std::string_view words) const;

  const YamlNode& root() const { return root_; }  // null when the file is empty

 private:
  YamlDocument(std::string name, std::string text);

  std::string name_;
  std::string text_;
  YamlNode root_;
};

// "a number", "a list", ...: the kind of a node, for messages.
std::string_view describe(YamlNode::Kind kind);

}  // namespace pipetop

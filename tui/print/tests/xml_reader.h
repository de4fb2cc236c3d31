// Just enough XML to tell whether a document is well-formed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pipetop::tui {

struct XmlDocument {
  std::string error;  // "" when it is well-formed
  std::vector<std::string> elements;
  std::vector<std::string> attributes;  // name=value
  std::string text;                     // of all elements, entities resolved
};

XmlDocument read_xml(std::string_view text);

}  // namespace pipetop::tui

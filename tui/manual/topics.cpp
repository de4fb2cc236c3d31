#include "tui/manual/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop::tui {

bool is_page(const EmbeddedText& text) { return text.name.find('.') != text.name.npos; }

std::string_view name_of_page(std::string_view name) { return name.substr(0, name.find('.')); }

std::string_view title_of(const EmbeddedText& text) {
  const std::string_view line = text.text.substr(0, text.text.find('\n'));
  return line.substr(std::min(line.size(), line.find_first_not_of("# ")));
}

const EmbeddedText& find_text(std::string_view name) {
  std::vector<std::string_view> names;
  for (const EmbeddedText& text : manual()) {
    if (text.name == name || name_of_page(text.name) == name) return text;
    names.push_back(text.name);
  }
  const auto near = nearest(name, names);
  throw Error(
      fmt::format("help: there is no topic \"{}\": {}", name,
                  near ? fmt::format("did you mean {}?", *near) : "pipetop help lists the topics"));
}

}  // namespace pipetop::tui

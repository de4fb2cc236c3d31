// The manual: Markdown files beside this one, embedded in the program.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace pipetop::tui {

struct EmbeddedText {
  std::string_view name;  // "ladder"; a page's ends in its section: "pipetop.1"
  std::string_view text;
};

// Made at build time by embed.cmake, in the order of CMakeLists.txt.
extern const EmbeddedText kManual[];
extern const size_t kManualSize;

inline std::span<const EmbeddedText> manual() { return {kManual, kManualSize}; }

// A man page is composed of topics; a topic is one idea.
bool is_page(const EmbeddedText& text);

// "pipetop" of "pipetop.1".
std::string_view name_of_page(std::string_view name);

// Its first heading, without the mark.
std::string_view title_of(const EmbeddedText& text);

// By its name, which need not have a page's section. Throws Error with the nearest
// name when there is none of that name.
const EmbeddedText& find_text(std::string_view name);

}  // namespace pipetop::tui

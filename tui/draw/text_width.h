// UTF-8 and how many columns it takes on the screen.
#pragma once

#include <string>
#include <string_view>

namespace pipetop::tui {

inline constexpr char32_t kReplacement = 0xFFFD;

// Removes the first code point from `text`; kReplacement for an invalid byte.
char32_t take_code_point(std::string_view& text);

void append_utf8(std::string& text, char32_t c);

// 0, 1 or 2 columns. Control characters count as 1: they are shown as '?'.
int columns_of(char32_t c);
int columns_of(std::string_view text);

// The prefix that fits into this many columns.
std::string_view beginning(std::string_view text, int columns);

}  // namespace pipetop::tui

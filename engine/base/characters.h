// Characters of UTF-8 text, which of them are fit to be shown, and how many columns they take.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pipetop {

inline constexpr char32_t kReplacement = 0xFFFD;

// The length of the UTF-8 character that starts `text`, 0 if it is not one.
// Overlong forms, surrogates and values above U+10FFFF do not count.
size_t utf8_length(std::string_view text);

// Removes the first code point from `text`; kReplacement for an invalid byte.
char32_t take_code_point(std::string_view& text);

void append_utf8(std::string& text, char32_t c);

// C0 and C1 controls and DEL: they could control the terminal that shows them.
bool is_control(char32_t c);

// Format characters and separators of lines: nothing is seen of them, but they hide a difference
// between two names, or change how the text around them runs.
bool is_invisible(char32_t c);

// Drawn onto the character before it.
bool is_combining(char32_t c);

// ---- on a screen: widths are those of the locale ----

// 0, 1 or 2 columns. Control and invisible characters count as 1: they are shown as '?'.
int columns_of(char32_t c);
int columns_of(std::string_view text);

// The prefix that fits into this many columns.
std::string_view beginning(std::string_view text, int columns);

// As many words as fit into this many columns, then " …" for the others. "" if none fits.
std::string whole_words(std::string_view text, int columns);

}  // namespace pipetop

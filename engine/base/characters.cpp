#include "engine/base/characters.h"

#include <wchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "engine/base/unicode_tables.h"

namespace pipetop {
namespace {

bool is_in(std::span<const CodePoints> ranges, char32_t c) {
  const auto range = std::ranges::lower_bound(ranges, c, {}, &CodePoints::last);
  return range != ranges.end() && c >= range->first;
}

}  // namespace

size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : uint8_t(0); };
  const auto follows = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const uint8_t low = lead == 0xe0 ? 0xa0 : 0x80, high = lead == 0xed ? 0x9f : 0xbf;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const uint8_t low = lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

char32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t length = lead < 0x80 ? 1 : utf8_length(text);
  char32_t c = length == 0 ? kReplacement : length == 1 ? lead : lead & (0x7Fu >> length);
  for (const char byte : text.substr(1, length - std::min<size_t>(1, length)))
    c = (c << 6) | (static_cast<unsigned char>(byte) & 0x3Fu);
  text.remove_prefix(std::max<size_t>(1, length));
  return c;
}

void append_utf8(std::string& text, char32_t c) {
  constexpr std::array<uint8_t, 4> kLead = {0x00, 0xC0, 0xE0, 0xF0};
  const size_t tails = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>(kLead[tails] | (c >> (6 * tails)));
  for (size_t i = tails; i-- > 0;) text += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

bool is_invisible(char32_t c) { return c >= kInvisible.front().first && is_in(kInvisible, c); }

bool is_combining(char32_t c) { return c >= kMarks.front().first && is_in(kMarks, c); }

int columns_of(char32_t c) {
  if (c < 0x300 || is_invisible(c)) return 1;
  // The box, block and braille characters are narrow in any locale; wcwidth() only
  // knows ASCII in the C locale.
  if (c >= 0x2500 && c < 0x2900) return 1;
  const int columns = wcwidth(static_cast<wchar_t>(c));
  return columns < 0 ? 1 : std::min(columns, 2);
}

int columns_of(std::string_view text) {
  int columns = 0;
  while (!text.empty()) columns += columns_of(take_code_point(text));
  return columns;
}

std::string_view beginning(std::string_view text, int columns) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t used = text.size() - rest.size();
    columns -= columns_of(take_code_point(rest));
    if (columns < 0) return text.substr(0, used);
  }
  return text;
}

std::string whole_words(std::string_view text, int columns) {
  if (columns_of(text) <= columns) return std::string(text);
  // The blank after the last word has room, too.
  const size_t end = beginning(text, columns - 1).rfind(' ');
  if (end == text.npos || end == 0) return {};
  return std::string(text.substr(0, end)) + " …";
}

}  // namespace pipetop

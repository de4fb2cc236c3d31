#include "tui/draw/text_width.h"

#include <wchar.h>

#include <algorithm>

#include "engine/base/text.h"

namespace pipetop::tui {

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
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | (c >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | (c >> 18));
    tail(12), tail(6), tail(0);
  }
}

int columns_of(char32_t c) {
  if (c < 0x300) return c == 0xAD ? 0 : 1;
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

}  // namespace pipetop::tui

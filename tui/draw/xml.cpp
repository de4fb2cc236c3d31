#include "tui/draw/xml.h"

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

// Char of the XML 1.0 grammar.
bool is_allowed(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c != 0xFFFE && c != 0xFFFF;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const char32_t c = take_code_point(text);
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else
      append_utf8(escaped, is_allowed(c) ? c : kReplacement);
  }
  return escaped;
}

}  // namespace pipetop::tui

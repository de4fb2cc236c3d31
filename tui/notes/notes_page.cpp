#include "tui/notes/notes_page.h"

#include <fmt/core.h>

#include <charconv>
#include <vector>

#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

// A page is one line, so a line feed in a text is written as \n, and \ as \\. A scene's texts have
// no tabs.
std::string escaped(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\' || c == '\n') line += '\\';
    line += c == '\n' ? 'n' : c == '\t' ? ' ' : c;
  }
  return line;
}

std::string unescaped(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (escape) ++i;
    text += escape && line[i] == 'n' ? '\n' : line[i];
  }
  return text;
}

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc{} && end == last;
}

}  // namespace

std::string notes_line(const NotesPage& page) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", page.scene, page.scenes, page.begun_ns,
                     page.entered_ns, escaped(page.title), escaped(page.next), escaped(page.notes));
}

std::optional<NotesPage> parse_notes(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  const std::vector<std::string> parts = split(line, '\t');
  NotesPage page;
  if (parts.size() != 7 || !read_number(parts[0], page.scene) ||
      !read_number(parts[1], page.scenes) || !read_number(parts[2], page.begun_ns) ||
      !read_number(parts[3], page.entered_ns))
    return {};
  page.title = unescaped(parts[4]);
  page.next = unescaped(parts[5]);
  page.notes = unescaped(parts[6]);
  return page;
}

}  // namespace pipetop::tui

#include "tui/manual/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

using Kind = Block::Kind;

// "keys pipe" of "[Table: keys pipe](...)".
std::optional<std::string_view> argument_of(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark)) return std::nullopt;
  line.remove_prefix(mark.size());
  return line.substr(0, line.find(']'));
}

// "[text](address)" becomes "text".
std::string without_addresses(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const size_t middle = line.find("](");
    const size_t begin = middle == line.npos ? line.npos : line.rfind('[', middle);
    if (begin == line.npos) break;
    text += line.substr(0, begin);
    text += line.substr(begin + 1, middle - begin - 1);
    const size_t end = line.find(')', middle);
    line.remove_prefix(end == line.npos ? line.size() : end + 1);
  }
  return text.append(line);
}

class Reader {
 public:
  explicit Reader(const Tables& tables) : tables_(tables) {}

  void read(std::string_view markdown) {
    for (const std::string& line : split(markdown, '\n')) read_line(line);
    ended_ = true;
  }

  std::vector<Block> blocks() && { return std::move(blocks_); }

 private:
  void read_line(std::string_view line) {
    if (line.empty()) return end_block();
    if (line.starts_with("![")) return;  // a picture
    if (line.starts_with("# ")) return add(Kind::title, line.substr(2));
    if (line.starts_with("## ")) return add(Kind::section, line.substr(3));
    if (line.starts_with("    ")) return code(line.substr(4));
    if (line.starts_with("- ")) return add(Kind::item, line.substr(2));
    if (!generated(line)) prose(line);
  }

  bool generated(std::string_view line) {
    if (const auto name = argument_of(line, "[Table: ")) {
      add(Kind::rows, "");
      blocks_.back().rows = tables_.rows(*name);
    } else if (const auto output = argument_of(line, "[Output: ")) {
      std::string text = tables_.output(*output);
      while (text.ends_with('\n')) text.pop_back();
      add(Kind::code, text);
    } else if (const auto topic = argument_of(line, "[Topic: ")) {
      read(find_text(*topic).text);
    } else if (const auto besides = argument_of(line, "[Topics but ")) {
      read_all_but(split(*besides, ' '));
    } else {
      return false;
    }
    ended_ = true;
    return true;
  }

  void read_all_but(const std::vector<std::string>& besides) {
    for (const EmbeddedText& text : manual())
      if (!is_page(text) && std::ranges::find(besides, text.name) == besides.end()) read(text.text);
  }

  void end_block() {
    ended_ = true;
    ++blank_lines_;
  }

  void add(Kind kind, std::string_view text) {
    blocks_.push_back({kind, kind == Kind::code ? std::string(text) : without_addresses(text), {}});
    ended_ = kind == Kind::title || kind == Kind::section;
    blank_lines_ = 0;
  }

  void append(std::string_view line) {
    blocks_.back().text += '\n';
    blocks_.back().text += line;
  }

  // Code continues after a blank line.
  void code(std::string_view line) {
    if (blocks_.empty() || blocks_.back().kind != Kind::code) return add(Kind::code, line);
    blocks_.back().text.append(size_t(blank_lines_), '\n');
    append(line);
    blank_lines_ = 0;
  }

  // Continuation lines of an item are indented by two spaces.
  void prose(std::string_view line) {
    if (line.starts_with("  ")) line.remove_prefix(2);
    if (ended_ || blocks_.empty()) return add(Kind::paragraph, line);
    append(without_addresses(line));
  }

  const Tables& tables_;
  std::vector<Block> blocks_;
  bool ended_ = true;    // prose begins a paragraph
  int blank_lines_ = 0;  // since the last line of text
};

}  // namespace

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

std::vector<Block> parse_manual(std::string_view markdown, const Tables& tables) {
  Reader reader(tables);
  reader.read(markdown);
  return std::move(reader).blocks();
}

}  // namespace pipetop::tui

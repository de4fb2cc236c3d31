#include "tui/manual/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "tui/draw/text.h"

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

using Kind = Block::Kind;

constexpr int kColumns = 80;
constexpr int kIndent = 2;
constexpr int kWidestTerm = 20;  // a wider term has its own line

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return toupper(c); });
  return text;
}

// Indents every line.
std::string indented(std::string_view text, size_t spaces, std::string_view first) {
  std::string result(first);
  for (const char c : text) {
    if (result.ends_with('\n') && c != '\n') result.append(spaces, ' ');
    result += c;
  }
  return result + '\n';
}

int text_column(std::span<const Row> rows) {
  int widest = 0;
  for (const Row& row : rows) widest = std::max(widest, columns_of(row.term));
  return widest > kWidestTerm ? 3 * kIndent : widest + 2 * kIndent;
}

std::string row_text(const Row& row, int column) {
  std::string text = fmt::format("{:{}}{}", "", kIndent, row.term);
  const int end = columns_of(text);
  if (row.text.empty()) return text + '\n';
  text += end + 2 > column ? fmt::format("\n{:{}}", "", column)
                           : fmt::format("{:{}}", "", column - end);
  const auto lines = broken(row.text, kColumns - column);
  return text + indented(fmt::format("{}", fmt::join(lines, "\n")), size_t(column), "");
}

std::string rows_text(std::span<const Row> rows) {
  const int column = text_column(rows);
  std::string text;
  for (const Row& row : rows) text += row_text(row, column);
  return text;
}

std::string block_text(const Block& block) {
  switch (block.kind) {
    case Kind::title:
      return upper(block.text) + '\n';
    case Kind::code:
      return indented(block.text, 4, "    ");
    case Kind::item:
      return indented(block.text, 2, "- ");
    case Kind::rows:
      return rows_text(block.rows);
    case Kind::section:
    case Kind::paragraph:
      break;
  }
  return block.text + '\n';
}

constexpr std::pair<char, std::string_view> kEscapes[] = {
    {'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

// A leading dot would make the line a request.
void append_escaped(std::string& to, char c) {
  if (c == '.' && (to.empty() || to.back() == '\n')) to += "\\&";
  const auto escape = std::ranges::find(kEscapes, c, [](const auto& e) { return e.first; });
  if (escape == std::end(kEscapes))
    to += c;
  else
    to += escape->second;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) append_escaped(result, c);
  return result;
}

// `code` is bold.
std::string prose(std::string_view text) {
  std::string result;
  bool code = false;
  for (const char c : text) {
    if (c != '`') {
      append_escaped(result, c);
      continue;
    }
    code = !code;
    result += code ? "\\fB" : "\\fP";
  }
  return result;
}

std::string rows_roff(std::span<const Row> rows) {
  std::string text;
  for (const Row& row : rows)
    text += fmt::format(".TP\n\\fB{}\\fP\n{}\n", escaped(row.term), prose(row.text));
  return text;
}

class Writer {
 public:
  std::string write(std::span<const Block> blocks) {
    for (const Block& block : blocks) add(block);
    return std::move(text_);
  }

 private:
  void add(const Block& block) {
    switch (block.kind) {
      case Kind::title:
        return heading(".SH", upper(block.text));
      case Kind::section:
        return heading(".SS", block.text);
      case Kind::paragraph:
        begin_paragraph();
        text_ += prose(block.text) + '\n';
        return;
      case Kind::code:
        begin_paragraph();
        text_ += fmt::format(".RS 4\n.EX\n{}\n.EE\n.RE\n", escaped(block.text));
        return;
      case Kind::item:
        text_ += fmt::format(".IP \\(bu 2\n{}\n", prose(block.text));
        break;
      case Kind::rows:
        text_ += rows_roff(block.rows);
        break;
    }
    after_heading_ = false;
  }

  void heading(std::string_view macro, const std::string& text) {
    text_ += fmt::format("{} \"{}\"\n", macro, escaped(text));
    after_heading_ = true;
  }

  // A heading begins one itself.
  void begin_paragraph() {
    if (!after_heading_) text_ += ".PP\n";
    after_heading_ = false;
  }

  std::string text_;
  bool after_heading_ = false;
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

// ---- plain text and roff ----
//
// The roff is our own, because neither cmark nor lowdown writes what both
// groff and mandoc accept without a warning, and cmark has no definition lists.

std::string plain_text(std::span<const Block> blocks) {
  std::string text;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const bool list = i > 0 && blocks[i].kind == Kind::item && blocks[i - 1].kind == Kind::item;
    if (i > 0 && !list) text += '\n';
    text += block_text(blocks[i]);
  }
  return text;
}

std::string roff(std::span<const Block> blocks, std::string_view page, std::string_view date,
                 std::string_view program) {
  const char section = page.back();
  const std::string_view manual = section == '5' ? "File Formats" : "User Commands";
  return fmt::format(".TH {} {} {} \"{}\" \"{}\"\n.nh\n.ad l\n",
                     upper(std::string(name_of_page(page))), section, date, program, manual) +
         Writer().write(blocks);
}

}  // namespace pipetop::tui

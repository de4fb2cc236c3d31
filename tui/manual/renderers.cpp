// Plain text and roff. The roff is our own, because neither cmark nor lowdown writes what both
// groff and mandoc accept without a warning, and cmark has no definition lists.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tui/draw/text.h"
#include "tui/manual/manual.h"

namespace pipetop::tui {
namespace {

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

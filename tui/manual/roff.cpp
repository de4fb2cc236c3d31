// Our own, because neither cmark nor lowdown writes what both groff and mandoc
// accept without a warning, and cmark has no definition lists.
#include <fmt/format.h>

#include <algorithm>

#include "tui/manual/writers.h"

namespace pipetop::tui {
namespace {

using Kind = Block::Kind;

std::string_view escape_of(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return {};
  }
}

// A leading dot would make the line a request.
void append_escaped(std::string& to, char c) {
  if (c == '.' && (to.empty() || to.back() == '\n')) to += "\\&";
  const std::string_view escape = escape_of(c);
  if (escape.empty())
    to += c;
  else
    to += escape;
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

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return toupper(c); });
  return text;
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

std::string roff(std::span<const Block> blocks, const PageHeader& header) {
  const std::string_view manual = header.section == '5' ? "File Formats" : "User Commands";
  return fmt::format(".TH {} {} {} \"{}\" \"{}\"\n.nh\n.ad l\n", upper(std::string(header.name)),
                     header.section, header.date, header.version, manual) +
         Writer().write(blocks);
}

}  // namespace pipetop::tui

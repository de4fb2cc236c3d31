// The little Markdown that the manual is written in: headings, paragraphs, lists,
// code that is indented by four spaces, `code` and [links](file.md). Three kinds of
// line stand for more, and are links where Markdown is shown by others:
//   [Table: keys pipe](the source)    rows made from the program's own tables
//   [Output: --default-config](...)   text that the program prints
//   [Topic: keys](keys.md)            another file of the manual
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipetop::tui {

// "--wait block|poll", and what it does.
struct Row {
  std::string term, text;
};

// The source of the tables.
struct Tables {
  std::vector<Row> (*rows)(std::string_view name);  // throws Error
  std::string (*output)(std::string_view name);     // throws Error
};

struct Block {
  enum class Kind : uint8_t { title, section, paragraph, code, item, rows };

  Kind kind = Kind::paragraph;
  std::string text;  // lines without a newline at the end
  std::vector<Row> rows;
};

std::vector<Block> parse_manual(std::string_view markdown, const Tables& tables);

}  // namespace pipetop::tui

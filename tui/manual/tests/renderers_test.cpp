#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "tui/manual/manual.h"

namespace pipetop::tui {
namespace {

std::vector<Row> some_rows(std::string_view name) {
  if (name != "keys pipe") throw Error("no such table");
  return {{"v", "lends pages"}, {"{ }", "the ring"}};
}
std::string some_output(std::string_view) { return "a: 1\n\nb: 'two'\n"; }

constexpr Tables kTables{some_rows, some_output};

std::string plain(std::string_view markdown) { return plain_text(parse_manual(markdown, kTables)); }

// Without the header.
std::string page(std::string_view markdown) {
  const std::string text = roff(parse_manual(markdown, kTables), "pipetop.1", "2026-01-02", "");
  const std::string_view end = ".ad l\n";
  return text.substr(text.find(end) + end.size());
}

TEST(PlainText, ReadsAsItIsWritten) {
  EXPECT_EQ(plain("# A title\n\nOne line\nand `code`.\n\n- first\n  goes on\n- second\n\n"
                  "## Part\n\n    run this\n\n    and this\n"),
            "A TITLE\n\nOne line\nand `code`.\n\n- first\n  goes on\n- second\n\nPart\n\n"
            "    run this\n\n    and this\n");
}

TEST(PlainText, LeavesOutPicturesAndAddresses) {
  EXPECT_EQ(plain("![seen](a.png)\n\nSee [`help a`](a.md), [b](b.md).\n"), "See `help a`, b.\n");
  EXPECT_EQ(plain("An [open bracket, and a [link](x) a](b\n"),
            "An [open bracket, and a link a](b\n");
}

TEST(PlainText, PutsTablesAndOutputInTheirPlace) {
  EXPECT_EQ(plain("Keys:\n\n[Table: keys pipe](x.cpp)\n\n[Output: --x](y.cpp)\n"),
            "Keys:\n\n  v    lends pages\n  { }  the ring\n\n    a: 1\n\n    b: 'two'\n");
  EXPECT_THROW(plain("[Table: kees](x.cpp)\n"), Error);
}

TEST(PlainText, AWideTermHasALineOfItsOwn) {
  const Block block{Block::Kind::rows, {}, {{"--a-flag-that-is-long VALUE", "what it does"}}};
  EXPECT_EQ(plain_text({&block, 1}), "  --a-flag-that-is-long VALUE\n      what it does\n");
}

TEST(Roff, NamesThePageSectionDateAndVersion) {
  EXPECT_EQ(roff({}, "pipetop-config.5", "2026-01-02", "pipetop 1.2"),
            ".TH PIPETOP-CONFIG 5 2026-01-02 \"pipetop 1.2\" \"File Formats\"\n.nh\n.ad l\n");
}

TEST(Roff, WritesEachKindOfBlock) {
  EXPECT_EQ(page("# A title\n\nOne\ntwo.\n\nThree.\n\n## Part\n\n- item\n  more\n"),
            ".SH \"A TITLE\"\nOne\ntwo.\n.PP\nThree.\n.SS \"Part\"\n.IP \\(bu 2\nitem\nmore\n");
  EXPECT_EQ(page("Text:\n\n    run\n"), ".PP\nText:\n.PP\n.RS 4\n.EX\nrun\n.EE\n.RE\n");
  EXPECT_EQ(page("[Table: keys pipe](x)\n"),
            ".TP\n\\fBv\\fP\nlends pages\n.TP\n\\fB{ }\\fP\nthe ring\n");
}

TEST(Roff, EscapesWhatWouldBeTakenForSomethingElse) {
  EXPECT_EQ(page("A\n.dot and 'quote' \\ and `--flag`.\n"),
            ".PP\nA\n\\&.dot and \\(aqquote\\(aq \\e and \\fB\\-\\-flag\\fP.\n");
  EXPECT_EQ(page("    .TH\n    'x ~ ^ `\n"),
            ".PP\n.RS 4\n.EX\n\\&.TH\n\\(aqx \\(ti \\(ha \\(ga\n.EE\n.RE\n");
}

}  // namespace
}  // namespace pipetop::tui

// Text of others in every format.
#include <gtest/gtest.h>

#include "engine/base/characters.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

Document document_with(const std::string& name) {
  return {.type = "test",
          .tree = {{"name", name}},
          .human = name + "\n",
          .columns = {{"name", "/name"}},
          .rows = {{{"name", name}}}};
}

TEST(PrintFormat, CsvIsCleanWithAndWithoutQuotes) {
  EXPECT_EQ(csv_text(document_with("gz\u200bip\x1b[2J")), "name\ngz?ip?[2J\n");
  EXPECT_EQ(csv_text(document_with("gz\u200bip,\x1b[2J")), "name\n\"gz?ip,?[2J\"\n");
  EXPECT_EQ(csv_text(document_with("\u202ea\xff\"")), "name\n\"?a?\"\"\"\n");
}

TEST(PrintFormat, JsonEscapesWhatIsNotSeen) {
  for (const std::string name : {"gz\u200bip", "\u202egz\u2069", "a\u009b2J\x7f",
                                 "\ufeff\U000e0041", "two\nlines", "é → 😀"}) {
    const std::string text = json_text(document_with(name));
    EXPECT_EQ(Json::parse(text)["name"], name) << text;
    for (std::string_view rest = text; !rest.empty();) {
      const char32_t c = take_code_point(rest);
      EXPECT_TRUE(c == U'\n' || !is_control(c)) << text;
      EXPECT_FALSE(is_invisible(c)) << text;
    }
  }
  EXPECT_NE(json_text(document_with("\U000e0041")).find("\\udb40\\udc41"), std::string::npos);
  EXPECT_NE(json_text(document_with("é → 😀")).find("é → 😀"), std::string::npos);
  EXPECT_EQ(Json::parse(json_text(document_with("a\xff")))["name"], "a\ufffd");
}

TEST(PrintFormat, WordsForPeopleAreClean) {
  EXPECT_EQ(find_format("human").print(document_with("gz\u200bip\x1b[2J\r")), "gz?ip?[2J?\n");
}

}  // namespace
}  // namespace pipetop::tui

#include "engine/config/yaml_document.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace pipetop {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_yaml("f", text);
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::usage);
    return e.what();
  }
  return "no error";
}

TEST(YamlDocument, BuildsATreeWithPlaces) {
  const YamlNode root = parse_yaml("f", "a: 1\nb:\n  - x\n  - {c: }\n");
  ASSERT_EQ(root.kind, YamlNode::Kind::map);
  ASSERT_EQ(root.keys.size(), 2u);
  EXPECT_EQ(root.values[0].text, "1");
  const YamlNode& list = root.values[1];
  ASSERT_EQ(list.kind, YamlNode::Kind::sequence);
  EXPECT_EQ(list.values[0].byte, 12u);
  EXPECT_EQ(list.source->line_of(12), 3u);
  EXPECT_EQ(list.values[1].values[0].kind, YamlNode::Kind::null);
}

TEST(YamlDocument, EmptyIsNull) {
  for (const char* text :
       {"", "\n", "# only words\n", "---\n", "\xef\xbb\xbf", "\xef\xbb\xbf# bom\n"})
    EXPECT_EQ(parse_yaml("f", text).kind, YamlNode::Kind::null) << text;
}

TEST(YamlDocument, RefusesWhatIsNoText) {
  EXPECT_EQ(error_of(std::string("a: 1\nb: \0", 9)),
            "f:2:4: a control character (0x00): give a text file");
  EXPECT_EQ(error_of("a: \xff\xfe"), "f:1:4: byte 0xff is not UTF-8: give a text file");
  EXPECT_EQ(error_of("\x7f"
                     "ELF"),
            "f:1:1: a control character (0x7f): give a text file");
  EXPECT_EQ(error_of("a: \xc0\xaf"), "f:1:4: byte 0xc0 is not UTF-8: give a text file");
  EXPECT_EQ(error_of("a: \xed\xa0\x80"), "f:1:4: byte 0xed is not UTF-8: give a text file");
}

TEST(YamlDocument, ColumnsCountCharacters) {
  EXPECT_EQ(error_of("{\xc3\xa9\xc3\xa9: 1, b: \x01}"),
            "f:1:12: a control character (0x01): give a text file");
  // yaml-cpp 0.8 names the anchor, too.
  const std::string error = error_of("{\xc3\xa9\xc3\xa9: 1, b: *x}");
  EXPECT_TRUE(error.starts_with("f:1:12: the referenced anchor is not defined")) << error;
  EXPECT_TRUE(error.ends_with(": see pipetop --default-config")) << error;
}

TEST(YamlDocument, RefusesWhatAConfigHasNoUseFor) {
  EXPECT_EQ(error_of("a: &x 1\nb: *x\n"),
            "f:1:4: anchors and aliases are not supported in config files: write out the value");
  EXPECT_EQ(error_of("a: !!int 1\n"),
            "f:1:4: tags are not supported in config files: remove the tag");
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"), "f:2:1: a second document: a config is one YAML map");
  EXPECT_EQ(error_of("? [a, b]\n: 1\n"), "f:1:3: a key is a name, not a list");
}

TEST(YamlDocument, SaysHowToMendTheSyntax) {
  EXPECT_EQ(error_of("a:\n\tb: 1\n"), "f:2:1: a tab in the indentation: indent with spaces");
  EXPECT_EQ(error_of("a: b: c\n"),
            "f:1:5: illegal map value: quote a value that contains \": \", or fix the indentation");
  EXPECT_EQ(error_of("a: [1, 2\n"), "f:2:1: end of sequence flow not found: close it with ]");
  EXPECT_EQ(error_of("a: {b: 2\n"), "f:2:1: end of map flow not found: close it with }");
  EXPECT_EQ(error_of("a: 'x\n"), "f:1:4: a quote that does not end on the same line: close it");
  EXPECT_EQ(error_of("a: \"x\\\"\nb: \"\n"),
            "f:1:4: a quote that does not end on the same line: close it");
  EXPECT_EQ(error_of("{a: 'it''s', b: \"\\\"\"}\n"), "no error");
  EXPECT_EQ(error_of("a: 1\n b: 2\n"),
            "f:2:3: illegal map value: quote a value that contains \": \", or fix the indentation");
}

// yaml-cpp recurses, and its scanner looks ahead: neither stack nor minutes may
// be spent on such files.
TEST(YamlDocument, SurvivesBombs) {
  const auto repeat = [](const std::string& unit, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += unit;
    return text;
  };
  for (const char* unit : {"[", "{", "- ", "? ", "{a: ", "[[", "a: "}) {
    const std::string error = error_of(repeat(unit, 100'000));
    EXPECT_NE(error.find("f:1:"), std::string::npos) << unit << error.substr(0, 200);
    EXPECT_EQ(error.find('\n'), std::string::npos) << unit;
  }
  EXPECT_NE(error_of("a: [" + repeat("1,", 200'000) + "]").find("more than 10000 values"),
            std::string::npos);
  EXPECT_NE(error_of(repeat(" ", 2 << 20)).find("larger than 1048576 bytes"), std::string::npos);
  std::string laughs = "a: &a [x, x]\n";
  for (int i = 0; i < 30; ++i) laughs += "b: &b [*a, *a]\n";
  EXPECT_NE(error_of(laughs).find("anchors"), std::string::npos);
}

}  // namespace
}  // namespace pipetop

#include "engine/base/text.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/base/error.h"

namespace pipetop {
namespace {

TEST(Text, ReadsSizesAsPeopleWriteThem) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("256K"), 256u << 10);
  EXPECT_EQ(parse_size("256KiB"), 256u << 10);
  EXPECT_EQ(parse_size("256kib"), 256u << 10);
  EXPECT_EQ(parse_size("1 MiB"), 1u << 20);
  EXPECT_EQ(parse_size("1.5M"), 3u << 19);
  EXPECT_EQ(parse_size("10G"), 10ull << 30);
}

TEST(Text, PartsOfAUnitAreRoundedToWholeOnesOfTheSmallest) {
  EXPECT_EQ(parse_size("2.2MiB"), 2306867u);  // .2
  EXPECT_EQ(parse_size("1.7K"), 1741u);       // 1740.8
  EXPECT_EQ(parse_duration_ns("1.1h"), 3'960'000'000'000u);
  EXPECT_EQ(parse_duration_ns("0.3333333333s"), 333'333'333u);
  EXPECT_EQ(parse_bytes("2.5"), 2.5);
  EXPECT_EQ(parse_bytes("2.5 parsecs"), std::nullopt);
  EXPECT_THROW(parse_duration_ns("1.5ns"), Error);
  try {
    parse_size("1.5");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "\"1.5\" is part of a byte: give whole ones, or a unit such as 1.5K");
  }
}

TEST(Text, RefusesWhatIsNoSize) {
  for (const char* bad : {"", "K", "-1", "1.5B", "1e3", "12X", "1KiBs", "nan", "99999999999T"})
    EXPECT_THROW(parse_size(bad), Error) << bad;
}

TEST(Text, SizesReadBack) {
  for (const uint64_t bytes :
       {1ull, 4096ull, 4097ull, 65536ull, 3ull << 19, 1ull << 30, 5ull << 40})
    EXPECT_EQ(parse_size(format_size(bytes)), bytes) << format_size(bytes);
  EXPECT_EQ(format_size(256 << 10), "256KiB");
}

TEST(Text, ReadsDurations) {
  EXPECT_EQ(parse_duration_ns("5"), 5'000'000'000u);
  EXPECT_EQ(parse_duration_ns("500ms"), 500'000'000u);
  EXPECT_EQ(parse_duration_ns("1.5s"), 1'500'000'000u);
  EXPECT_EQ(parse_duration_ns("2m"), 120'000'000'000u);
  EXPECT_THROW(parse_duration_ns("5 parsecs"), Error);
  EXPECT_EQ(format_duration(1'500'000'000), "1500ms");
  EXPECT_EQ(format_duration(120'000'000'000), "2m");
  EXPECT_EQ(format_duration(250'000), "250us");
}

TEST(Text, SuggestsTheNearestName) {
  constexpr std::array<std::string_view, 3> names = {"write_with", "read_with", "wait"};
  EXPECT_EQ(nearest("wirte_with", names), "write_with");
  EXPECT_EQ(nearest("write-with", names), "write_with");
  EXPECT_EQ(nearest("wiat", names), "wait");
  EXPECT_FALSE(nearest("colour", names));
}

TEST(Text, KnowsTheLengthOfACharacter) {
  for (const std::string_view whole : {"a", "±", "█", "😀"})
    EXPECT_EQ(utf8_length(whole), whole.size()) << whole;
  // Nothing, cut off, overlong, half of a surrogate pair, above U+10FFFF.
  for (const char* none :
       {"", "\x80", "\xff", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    EXPECT_EQ(utf8_length(none), 0u) << none;
}

TEST(Text, JoinsChoices) {
  constexpr std::array<std::string_view, 3> names = {"a", "b", "c"};
  EXPECT_EQ(join_choices(names), "a, b or c");
  EXPECT_EQ(join_choices(std::span(names).first(1)), "a");
}

TEST(Text, SplitsAndKeepsEmptyParts) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split("a,b,,c", ','), (Parts{"a", "b", "", "c"}));
  EXPECT_EQ(split("a,", ','), (Parts{"a", ""}));
  EXPECT_EQ(split("", ','), Parts{""});
}

TEST(Text, OneLineIsFitForATerminal) {
  EXPECT_EQ(one_line("a\nb\x1b[31m"), "a?b?[31m");
  EXPECT_EQ(one_line(std::string_view("a\0b\x7f", 4)), "a?b?");
  EXPECT_EQ(one_line("\xc3\xa9\xc2\x9b\xff"), "\xc3\xa9??");
  EXPECT_EQ(one_line("gzip\u202egnp.exe\u2069\u200f\u061c"), "gzip?gnp.exe???");
  EXPECT_EQ(one_line("\u202f\u2070 ±"), "\u202f\u2070 ±") << "near them";
  EXPECT_EQ(one_line(std::string(10'000, 'x')).size(), 503u);
}

// A name that looks like another one.
TEST(Text, WhatIsInvisibleIsReplaced) {
  for (const char* hidden :
       {"\u200b", "\u200c", "\u200d", "\u2028", "\u2029", "\u2060", "\ufeff", "\u00ad", "\u061c",
        "\u180e", "\u3164", "\ufff9", "\U000e0001", "\U000e0041", "\U000e007f", "\U0001d173"})
    EXPECT_EQ(one_line(std::string("gz") + hidden + "ip"), "gz?ip") << hidden;
  for (const char* seen :
       {"\u00a0", "\u00ae", "é", "→", "█", "漢", "\u200a", "\u2010", "😀", "\ufffd"})
    EXPECT_EQ(one_line(std::string("gz") + seen + "ip"), std::string("gz") + seen + "ip");
}

TEST(Text, ACharacterHasOneMark) {
  EXPECT_EQ(one_line("e\u0301a\u0308"), "e\u0301a\u0308");
  EXPECT_EQ(one_line("e\u0301\u0308\u20dd\ufe0fx\u0301"), "e\u0301???x\u0301");
  EXPECT_EQ(one_line("\u0301e\n\u0301"), "?e??") << "nothing to be drawn on";
}

TEST(Text, PrintableTextKeepsItsLines) {
  EXPECT_EQ(printable("one\ntwo\r\x1b[2J\t\u200b\xff\n"), "one\ntwo??[2J???\n");
  EXPECT_EQ(printable(std::string(10'000, 'x')).size(), 10'000u);
}

}  // namespace
}  // namespace pipetop

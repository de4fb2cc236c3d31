#include "engine/observe/symbols.h"

#include <gtest/gtest.h>

#include <sstream>

namespace pipetop::observe {
namespace {

Symbols symbols_of(const char* text) { return Symbols::parse(std::istringstream(text)); }

constexpr const char* kText =
    "0000000000000000 A fixed_percpu_data\n"
    "0000000000001000 D cpu_debug_store\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000100 t __pfx_pipe_write\n"
    "ffffffff81000110 t pipe_write\n"
    "ffffffff81000200 T __do_thing\n"
    "ffffffff81000200 t do_thing\n"
    "ffffffff81000200 W thing\n"
    "ffffffff81000300 t finish_task_switch.isra.0\n"
    "ffffffff81000400 D some_data\n"
    "ffffffff81000500 T _etext\n"
    "ffffffffc0002000 t late_one\t[late]\n"
    "ffffffffc0001000 t early_one\t[early]\n";

TEST(Symbols, FindsTheFunctionAroundAnAddress) {
  const Symbols symbols = symbols_of(kText);
  EXPECT_EQ(symbols.name_at(0xffffffff81000110), "pipe_write");
  EXPECT_EQ(symbols.name_at(0xffffffff810001ff), "pipe_write");
  EXPECT_EQ(symbols.name_at(0xffffffff81000300), "finish_task_switch.isra.0");
  EXPECT_EQ(symbols.name_at(0xffffffff81000450),
            "finish_task_switch.isra.0");  // data is no function
}

TEST(Symbols, OurOwnProgramsHaveOurName) {
  Symbols symbols = symbols_of(kText);
  symbols.set_ours({{0xffffffffc0001800, 0xffffffffc0001900}});
  EXPECT_EQ(symbols.name_at(0xffffffffc00017ff), "early_one");
  EXPECT_EQ(symbols.name_at(0xffffffffc0001800), kOurs);
  EXPECT_EQ(symbols.name_at(0xffffffffc0001900), "early_one");
}

TEST(Symbols, KnowsWhatItDoesNotKnow) {
  const Symbols symbols = symbols_of(kText);
  EXPECT_EQ(symbols.name_at(0x1000), kUnknown);
  EXPECT_EQ(symbols.name_at(0xffffffff81000500), kUnknown);  // behind the kernel's text
  EXPECT_EQ(symbols.name_at(0xffffffffc0001000 - 1), kUnknown);
  EXPECT_EQ(symbols.name_at(0xffffffffd0000000), kUnknown);  // far behind any symbol
}

TEST(Symbols, TakesTheAliasThatPerfTakes) {
  const Symbols symbols = symbols_of(kText);
  EXPECT_EQ(symbols.name_at(0xffffffff81000280), "do_thing");
}

TEST(Symbols, SortsModulesIn) {
  const Symbols symbols = symbols_of(kText);
  EXPECT_EQ(symbols.name_at(0xffffffffc0001800), "early_one");
  EXPECT_EQ(symbols.name_at(0xffffffffc0002001), "late_one");
}

TEST(Symbols, FindsAnAddressByName) {
  const Symbols symbols = symbols_of(kText);
  EXPECT_EQ(symbols.address_of("pipe_write"), 0xffffffff81000110);
  EXPECT_EQ(symbols.address_of("late_one"), 0xffffffffc0002000);
  EXPECT_EQ(symbols.address_of("__pfx_pipe_write"), 0u);
  EXPECT_EQ(symbols.address_of("pipe_writ"), 0u);
}

TEST(Symbols, HiddenAddressesAreNone) {
  EXPECT_TRUE(symbols_of("0000000000000000 T _stext\n0000000000000000 t pipe_write\n").empty());
  EXPECT_TRUE(symbols_of("").empty());
  EXPECT_EQ(Symbols().name_at(0xffffffff81000110), kUnknown);
}

TEST(Symbols, SurvivesOddLines) {
  const Symbols symbols = symbols_of(
      "\n\nffffffff81000110\nffffffff81000110 t\nzzz\n"
      "ffffffff81000110 t a");
  EXPECT_EQ(symbols.size(), 1u);
  EXPECT_EQ(symbols.name_at(0xffffffff81000110), "a");
}

}  // namespace
}  // namespace pipetop::observe

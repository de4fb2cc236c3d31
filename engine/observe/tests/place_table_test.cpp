#include "engine/observe/place_table.h"

#include <gtest/gtest.h>

#include <string>

namespace pipetop::observe {
namespace {

// What was called, in order.
struct Log {
  std::string text;
  uint32_t assign(PlaceTable<char>& slots, const std::string& keys) {
    text.clear();
    return slots.assign(
        std::span<const char>(keys), [&](char key, uint32_t at) { add('-', key, at); },
        [&](char key, uint32_t at) { add('+', key, at); });
  }
  void add(char what, char key, uint32_t at) {
    text += what;
    text += key;
    text += std::to_string(at);
  }
};

TEST(PlaceTable, WhatStaysKeepsItsPlace) {
  PlaceTable<char> slots(4);
  Log log;
  EXPECT_EQ(log.assign(slots, "ab"), 0u);
  EXPECT_EQ(log.text, "+a0+b1");
  EXPECT_EQ(log.assign(slots, "bc"), 0u);
  EXPECT_EQ(log.text, "-a0+c2");
  EXPECT_EQ(log.assign(slots, "cb"), 0u);
  EXPECT_EQ(log.text, "");
  EXPECT_EQ(slots.taken(), (std::map<char, uint32_t>{{'b', 1}, {'c', 2}}));
}

TEST(PlaceTable, APlaceIsUsedAgainAsLateAsPossible) {
  PlaceTable<char> slots(3);
  Log log;
  log.assign(slots, "a");
  log.assign(slots, "b");
  EXPECT_EQ(log.text, "-a0+b1");
  log.assign(slots, "c");
  EXPECT_EQ(log.text, "-b1+c2");
  log.assign(slots, "d");
  EXPECT_EQ(log.text, "-c2+d0");
}

TEST(PlaceTable, WhatIsTooMuchIsCounted) {
  PlaceTable<char> slots(2);
  Log log;
  EXPECT_EQ(log.assign(slots, "abcc"), 1u);
  EXPECT_EQ(log.assign(slots, "abcd"), 2u);
  // Not yet: a program may still be using the places that were freed.
  EXPECT_EQ(log.assign(slots, "cd"), 2u);
  EXPECT_EQ(log.text, "-a0-b1");
  EXPECT_EQ(log.assign(slots, "cd"), 0u);
  EXPECT_EQ(log.text, "+c0+d1");
}

}  // namespace
}  // namespace pipetop::observe

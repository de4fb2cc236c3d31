#include "engine/experiment/sweep.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/workload/table/workloads.h"

namespace pipetop {
namespace {

using Values = std::vector<std::string>;

std::string error_of(const char* name, const std::string& text) {
  try {
    sweep_of(knob(name), text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Sweep, ARangeIsOfANumberAndAListOfAnyKnob) {
  EXPECT_TRUE(names_several(knob("pairs"), "1..4"));
  EXPECT_FALSE(names_several(knob("pairs"), "4"));
  EXPECT_FALSE(names_several(knob("pipe_size"), "1..4"));
  EXPECT_TRUE(names_several(knob("pipe_size"), "64K,1M"));
  EXPECT_EQ(sweep_of(knob("pairs"), "2..4").values, (Values{"2", "3", "4"}));
  EXPECT_EQ(sweep_of(knob("write_with"), "write,tee").values, (Values{"write", "tee"}));
  EXPECT_EQ(sweep_of_values(knob("gift")).values, (Values{"false", "true"}));
}

TEST(Sweep, EachMistakeIsOneClearLine) {
  EXPECT_EQ(error_of("pairs", "4..1"),
            "--pairs: \"4..1\" is out of range: give 2 to 64 values, from low to high");
  EXPECT_EQ(error_of("pairs", "1..x"),
            "--pairs: \"1..x\" is not a range: give a number, or two such as 1..4");
  EXPECT_EQ(error_of("pairs", "1..40"), "--pairs: \"17\" is out of range: give 1 to 16");
  EXPECT_EQ(error_of("write_with", "write,"),
            "--write_with: \"\" is not a valid value: give write, vmsplice, tee or splice");
}

}  // namespace
}  // namespace pipetop

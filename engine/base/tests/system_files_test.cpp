#include "engine/base/system_files.h"

#include <gtest/gtest.h>

namespace pipetop {
namespace {

TEST(SystemFiles, ReadsValues) {
  constexpr const char* kCpuinfo =
      "processor\t: 0\n"
      "model name\t: AMD EPYC\n"
      "\n"
      "processor\t: 1\n"
      "model name\t: another\n";
  EXPECT_EQ(keyed_value(kCpuinfo, "model name"), "AMD EPYC");
  EXPECT_EQ(keyed_value(kCpuinfo, "model"), "");
  EXPECT_EQ(keyed_value("", "model name"), "");
  EXPECT_EQ(first_line("some avg10=0.1\nfull\n"), "some avg10=0.1");
}

TEST(SystemFiles, ReadsNumbers) {
  constexpr const char* kMeminfo = "HugePages_Total:       3\nHugepagesize:       2048 kB\n";
  EXPECT_EQ(keyed_number(kMeminfo, "HugePages_Total"), 3u);
  EXPECT_EQ(keyed_number(kMeminfo, "Hugepagesize"), 2048u);
  EXPECT_FALSE(keyed_number(kMeminfo, "HugePages_Free"));
}

TEST(SystemFiles, FlagsOfADescriptorAreOctal) {
  EXPECT_EQ(keyed_number("pos:\t0\nflags:\t0104001\nmnt_id:\t14\nino:\t81\n", "flags", 8),
            0104001u);
  EXPECT_EQ(keyed_number("flags:\t00", "flags", 8), 0u);
  for (const char* text : {"flags:\t", "flags:", "flags:\tx", ""})
    EXPECT_FALSE(keyed_number(text, "flags", 8)) << text;
}

}  // namespace
}  // namespace pipetop

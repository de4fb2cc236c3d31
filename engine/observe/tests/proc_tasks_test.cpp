#include "engine/observe/proc_tasks.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace pipetop::observe {
namespace {

TEST(ParseSystemCall, HasNumberAndArguments) {
  const auto call =
      parse_system_call("275 0x3 0x0 0x4 0x10000 0x0 0x0 0x7ffc5bd1c4a8 0x7f9b0e1f2a2e\n");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->number, 275);
  EXPECT_EQ(call->fd(0), 3);
  EXPECT_EQ(call->argument[1], 0u);
  EXPECT_EQ(call->fd(2), 4);
}

TEST(ParseSystemCall, NoneIsKnownToo) {
  for (const char* text : {"running\n", "-1 0x7ffc5bd1c4a8 0x7f9b0e1f2a2e\n"}) {
    const auto call = parse_system_call(text);
    ASSERT_TRUE(call) << text;
    EXPECT_EQ(call->number, -1) << text;
    EXPECT_EQ(call->argument[0], 0u) << text;
  }
}

TEST(ParseSystemCall, WhatMayNotBeReadIsNotKnown) {
  for (const char* text : {"", "\n", "0", "0 0x3", "0 0x3 0x1", "x"})
    EXPECT_FALSE(parse_system_call(text)) << text;
}

TEST(ParseDescriptorFlags, AreOctal) {
  EXPECT_EQ(parse_descriptor_flags("pos:\t0\nflags:\t0104001\nmnt_id:\t14\nino:\t81\n"),
            O_WRONLY | O_NONBLOCK | 0100000);
  EXPECT_EQ(parse_descriptor_flags("flags:\t00"), 0);
  EXPECT_FALSE(parse_descriptor_flags("flags:\t"));
  EXPECT_FALSE(parse_descriptor_flags("flags:"));
  EXPECT_FALSE(parse_descriptor_flags("flags:\tx"));
  EXPECT_FALSE(parse_descriptor_flags(""));
  EXPECT_EQ(access_of(O_RDONLY | O_NONBLOCK), Access::read);
  EXPECT_EQ(access_of(O_WRONLY), Access::write);
  EXPECT_EQ(access_of(O_RDWR), Access::both);
}

TEST(ParseCpu, IsTheFirstNumber) {
  EXPECT_EQ(parse_cpu_ns("123456789012 55 3\n"), 123456789012u);
  EXPECT_FALSE(parse_cpu_ns(""));
}

TEST(TaskState, LettersSayHowItSleeps) {
  EXPECT_EQ(sleep_of('S'), Sleep::interruptible);
  EXPECT_EQ(sleep_of('I'), Sleep::interruptible);
  EXPECT_EQ(sleep_of('D'), Sleep::uninterruptible);
  EXPECT_EQ(sleep_of('T'), Sleep::stopped);
  EXPECT_EQ(sleep_of('t'), Sleep::stopped);
}

}  // namespace
}  // namespace pipetop::observe

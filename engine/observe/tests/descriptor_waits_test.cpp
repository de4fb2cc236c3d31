#include "engine/observe/descriptor_waits.h"

#include <gtest/gtest.h>

namespace pipetop::observe {
namespace {

constexpr const char* kInfo = "pos:\t0\nflags:\t02\nmnt_id:\t29\nino:\t1234\n";

TEST(DescriptorWait, APipeIsKnownByItsInode) {
  EXPECT_EQ(descriptor_wait("pipe:[81234]", ""),
            (DescriptorWait{WaitsFor::pipe_read, 81234, false}));
}

TEST(DescriptorWait, APathMayBeAFifo) {
  EXPECT_EQ(descriptor_wait("/tmp/fifo", kInfo), (DescriptorWait{WaitsFor::other, 1234, true}));
  EXPECT_EQ(descriptor_wait("/tmp/fifo", ""), (DescriptorWait{WaitsFor::other, 0, true}));
  EXPECT_EQ(descriptor_wait("/dev/pts/3", kInfo).wait, WaitsFor::terminal);
}

TEST(DescriptorWait, OthersAreNoPipes) {
  EXPECT_EQ(descriptor_wait("socket:[5]", ""), (DescriptorWait{WaitsFor::network, 0, false}));
  EXPECT_EQ(descriptor_wait("", ""), (DescriptorWait{WaitsFor::other, 0, false})) << "it is gone";
}

}  // namespace
}  // namespace pipetop::observe

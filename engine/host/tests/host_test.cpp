#include "engine/host/host.h"

#include <gtest/gtest.h>

#include "engine/host/zero_copy_probe.h"

namespace pipetop {
namespace {

TEST(Host, KnowsThisMachine) {
  const HostInfo host = read_host();
  EXPECT_FALSE(host.kernel.empty());
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_GE(host.cpus, 1);
  EXPECT_GE(host.pipe_max_size, 4096u);
  EXPECT_GT(read_cpu_times().total, 0u);
}

// Which of the two it is belongs to the kernel; that it is one of them, or that
// the refusal is named, belongs to us.
TEST(ZeroCopyProbe, DecidesOrSaysWhyNot) {
  const ZeroCopyProbe probe = probe_zero_copy();
  EXPECT_FALSE(probe.reason.empty());
  if (probe.vmsplice_errno != 0) {
    EXPECT_EQ(probe.result, ZeroCopy::unverifiable);
  } else {
    EXPECT_NE(probe.result, ZeroCopy::unverifiable) << probe.reason;
  }
}

TEST(ZeroCopyProbe, DecidesOfAFileToo) {
  const ZeroCopyProbe probe = probe_file_zero_copy();
  EXPECT_NE(probe.result, ZeroCopy::unverifiable) << probe.reason;
  const ZeroCopyProbe none = probe_file_zero_copy(-1);
  EXPECT_EQ(none.result, ZeroCopy::unverifiable);
  EXPECT_EQ(none.reason, "write: Bad file descriptor");
}

}  // namespace
}  // namespace pipetop

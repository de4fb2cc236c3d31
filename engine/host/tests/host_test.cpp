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

TEST(Pressure, IsTheTotalOfSome) {
  EXPECT_EQ(parse_pressure_us("some avg10=13.06 avg60=8.68 avg300=7.38 total=251574799\n"
                              "full avg10=0.00 avg60=0.00 avg300=0.00 total=17\n"),
            251574799u);
  for (const char* text : {"", "some avg10=1", "full total=1\nsome total=2", "some total=x"})
    EXPECT_FALSE(parse_pressure_us(text)) << text;
}

TEST(Pressure, NeedsTwoReadings) {
  PressureMeter meter;
  EXPECT_EQ(meter.share().status, ReadingStatus::warming);
  meter.sample(1'000'000'000);
  meter.sample(1'500'000'000);
  EXPECT_EQ(meter.share().status, ReadingStatus::warming) << "at most one a second";
  meter.sample(2'000'000'000);
  EXPECT_NE(meter.share().status, ReadingStatus::warming);
}

}  // namespace
}  // namespace pipetop

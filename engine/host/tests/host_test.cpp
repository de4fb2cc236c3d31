#include "engine/host/host.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "engine/host/machine_limits.h"
#include "engine/tests/support/scratch_directory.h"

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

TEST(Host, ReadsFlags) {
  constexpr const char* kCpuinfo =
      "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n\nprocessor\t: 1\n";
  EXPECT_TRUE(has_cpu_flag(kCpuinfo, "hypervisor"));
  EXPECT_FALSE(has_cpu_flag(kCpuinfo, "hyper"));
}

TEST(Host, ReadsTheChosenWord) {
  EXPECT_EQ(bracketed("always [madvise] never\n"), "madvise");
  EXPECT_EQ(bracketed("never\n"), "never");
  EXPECT_EQ(bracketed("] [x"), "] [x");
  EXPECT_EQ(bracketed(""), "");
}

// "": there is no such file.
ThpSetting thp_with(const std::string& all, const std::string& of_2_mib) {
  const ScratchDirectory scratch;
  const std::string folder = scratch.path();
  std::filesystem::create_directory(folder + "/hugepages-2048kB");
  if (!all.empty()) std::ofstream(folder + "/enabled") << all;
  if (!of_2_mib.empty()) std::ofstream(folder + "/hugepages-2048kB/enabled") << of_2_mib;
  ThpSetting setting = read_thp("enabled", folder);
  setting.file.erase(0, folder.size());
  return setting;
}

TEST(Host, TheFileOfASizeOverridesOrInherits) {
  constexpr const char *kAll = "/enabled", *kOwn = "/hugepages-2048kB/enabled";
  const struct {
    const char *all, *own, *value, *file;
  } cases[] = {{"always [madvise] never", "always inherit madvise [never]", "never", kOwn},
               {"always madvise [never]", "always inherit [madvise] never", "madvise", kOwn},
               {"always madvise [never]", "always [inherit] madvise never", "never", kAll},
               {"always [madvise] never", "", "madvise", kAll},
               {"[deny] force", "[always] inherit", "deny", kAll},
               {"", "", "", kAll}};
  for (const auto& c : cases) {
    const ThpSetting setting = thp_with(c.all, c.own);
    EXPECT_EQ(setting.value, c.value) << c.all << ", " << c.own;
    EXPECT_EQ(setting.file, c.file) << c.all << ", " << c.own;
  }
}

TEST(Host, NamesHypervisors) {
  EXPECT_EQ(hypervisor_name(std::string_view("KVMKVMKVM\0\0\0", 12)), "KVM");
  EXPECT_EQ(hypervisor_name("Microsoft Hv"), "Hyper-V");
  EXPECT_EQ(hypervisor_name("TheirOwn"), "TheirOwn");
  EXPECT_EQ(hypervisor_name(""), "");
}

TEST(Host, ReadsCpuTimes) {
  const CpuTimes times = parse_cpu_times("cpu  10 20 30 40 50 60 70 80 900 1000\ncpu0 1\n");
  EXPECT_EQ(times.total, 360u);  // without guest times: they are in user and nice
  EXPECT_EQ(times.steal, 80u);
  EXPECT_EQ(parse_cpu_times("cpu0 1 2 3\n").total, 0u);
  EXPECT_EQ(parse_cpu_times("").total, 0u);
  EXPECT_EQ(parse_cpu_times("cpu  1 2 3 4\n").steal, 0u);  // before steal was counted
}

TEST(Steal, IsAShareOfTheTimeBetween) {
  EXPECT_DOUBLE_EQ(steal_share({1000, 10}, {1200, 20}), 0.05);
  EXPECT_EQ(steal_share({1000, 10}, {1000, 10}), 0);
  EXPECT_EQ(steal_share({1000, 10}, {900, 5}), 0);
  EXPECT_EQ(steal_share({1000, 10}, {1100, 5}), 0);
  EXPECT_EQ(steal_share({1000, 10}, {1010, 40}), 1);
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
  MachineMeter meter;
  EXPECT_EQ(meter.shares().pressure.status, ReadingStatus::warming);
  meter.sample(1'000'000'000);
  meter.sample(1'500'000'000);
  EXPECT_EQ(meter.shares().pressure.status, ReadingStatus::warming) << "at most one a second";
  meter.sample(2'000'000'000);
  EXPECT_NE(meter.shares().pressure.status, ReadingStatus::warming);
}

}  // namespace
}  // namespace pipetop

#include "engine/host/host_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "engine/host/host.h"

namespace pipetop {
namespace {

constexpr const char* kCpuinfo =
    "processor\t: 0\n"
    "model name\t: AMD EPYC\n"
    "flags\t\t: fpu vme hypervisor lahf_lm\n"
    "\n"
    "processor\t: 1\n"
    "model name\t: another\n";

TEST(HostFiles, ReadsCpuinfo) {
  EXPECT_EQ(cpuinfo_value(kCpuinfo, "model name"), "AMD EPYC");
  EXPECT_EQ(cpuinfo_value(kCpuinfo, "model"), "");
  EXPECT_TRUE(has_cpu_flag(kCpuinfo, "hypervisor"));
  EXPECT_FALSE(has_cpu_flag(kCpuinfo, "hyper"));
  EXPECT_EQ(cpuinfo_value("", "model name"), "");
}

TEST(HostFiles, ReadsTheChosenWord) {
  EXPECT_EQ(bracketed("always [madvise] never\n"), "madvise");
  EXPECT_EQ(bracketed("never\n"), "never");
  EXPECT_EQ(bracketed("] [x"), "] [x");
  EXPECT_EQ(bracketed(""), "");
  EXPECT_EQ(first_line("some avg10=0.1\nfull\n"), "some avg10=0.1");
}

// "": there is no such file.
ThpSetting thp_with(const std::string& all, const std::string& of_2_mib) {
  std::string folder = std::filesystem::temp_directory_path() / "pipetop-thp-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  std::filesystem::create_directory(folder + "/hugepages-2048kB");
  if (!all.empty()) std::ofstream(folder + "/enabled") << all;
  if (!of_2_mib.empty()) std::ofstream(folder + "/hugepages-2048kB/enabled") << of_2_mib;
  ThpSetting setting = read_thp("enabled", folder);
  std::filesystem::remove_all(folder);
  setting.file.erase(0, folder.size());
  return setting;
}

TEST(HostFiles, TheFileOfASizeOverridesOrInherits) {
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

TEST(HostFiles, NamesHypervisors) {
  EXPECT_EQ(hypervisor_name(std::string_view("KVMKVMKVM\0\0\0", 12)), "KVM");
  EXPECT_EQ(hypervisor_name("Microsoft Hv"), "Hyper-V");
  EXPECT_EQ(hypervisor_name("TheirOwn"), "TheirOwn");
  EXPECT_EQ(hypervisor_name(""), "");
}

TEST(HostFiles, ReadsCpuTimes) {
  const CpuTimes times = parse_cpu_times("cpu  10 20 30 40 50 60 70 80 900 1000\ncpu0 1\n");
  EXPECT_EQ(times.total, 360u);  // without guest times: they are in user and nice
  EXPECT_EQ(times.steal, 80u);
  EXPECT_EQ(parse_cpu_times("cpu0 1 2 3\n").total, 0u);
  EXPECT_EQ(parse_cpu_times("").total, 0u);
  EXPECT_EQ(parse_cpu_times("cpu  1 2 3 4\n").steal, 0u);  // before steal was counted
}

TEST(HostFiles, ReadsMeminfo) {
  constexpr const char* kMeminfo = "HugePages_Total:       3\nHugepagesize:       2048 kB\n";
  EXPECT_EQ(meminfo_value(kMeminfo, "HugePages_Total"), 3u);
  EXPECT_EQ(meminfo_value(kMeminfo, "Hugepagesize"), 2048u);
  EXPECT_EQ(meminfo_value(kMeminfo, "HugePages_Free"), 0u);
}

TEST(Steal, IsAShareOfTheTimeBetween) {
  EXPECT_DOUBLE_EQ(steal_share({1000, 10}, {1200, 20}), 0.05);
  EXPECT_EQ(steal_share({1000, 10}, {1000, 10}), 0);
  EXPECT_EQ(steal_share({1000, 10}, {900, 5}), 0);
  EXPECT_EQ(steal_share({1000, 10}, {1100, 5}), 0);
  EXPECT_EQ(steal_share({1000, 10}, {1010, 40}), 1);
}

}  // namespace
}  // namespace pipetop

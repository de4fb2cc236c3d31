// Small text files of /proc and /sys; all but the read functions are pure functions of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pipetop {

// At most `limit` bytes of the file; "" if it cannot be read.
std::string read_head(const std::string& path, size_t limit = 65536);

// The number at the start of the file; `otherwise` if there is none.
long long read_number(const std::string& path, long long otherwise);

// The value of the first "key : value" line, "" when there is none.
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key);

// Whether `flags` of /proc/cpuinfo name `flag`.
bool has_cpu_flag(std::string_view cpuinfo, std::string_view flag);

// "madvise" from "always [madvise] never"; the whole text when nothing is bracketed.
std::string bracketed(std::string_view text);

std::string first_line(std::string_view text);

// A setting of transparent huge pages, and the file that decides it.
struct ThpSetting {
  std::string value;  // "always", "madvise", "never", ...; "" without THP
  std::string file;
};
// For pages of 2 MiB: their own file of this name, "enabled" or "shmem_enabled", overrides the one
// for all sizes, unless it says "inherit", or the other one denies, or the kernel is older
// than 6.8.
ThpSetting read_thp(const std::string& name,
                    const std::string& folder = "/sys/kernel/mm/transparent_hugepage");

// "KVM" from the hypervisor's vendor string in CPUID leaf 0x40000000, or from DMI's
// sys_vendor; the text itself if it is unknown.
std::string hypervisor_name(std::string_view vendor);

// The number of a /proc/meminfo line, in its own unit; 0 when absent.
uint64_t meminfo_value(std::string_view meminfo, std::string_view key);

}  // namespace pipetop

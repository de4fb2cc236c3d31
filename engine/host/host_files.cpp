#include "engine/host/host_files.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "engine/base/text.h"

namespace pipetop {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const size_t start = text.find_first_not_of(kBlank);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

struct Vendor {
  std::string_view text, name;
};

constexpr std::array kVendors = {
    Vendor{"KVMKVMKVM", "KVM"},
    Vendor{"Linux KVM Hv", "KVM"},
    Vendor{"XenVMMXenVMM", "Xen"},
    Vendor{"Microsoft Hv", "Hyper-V"},
    Vendor{"VMwareVMware", "VMware"},
    Vendor{"VBoxVBoxVBox", "VirtualBox"},
    Vendor{"TCGTCGTCGTCG", "QEMU (TCG)"},
    Vendor{"bhyve bhyve ", "bhyve"},
    Vendor{"ACRNACRNACRN", "ACRN"},
    Vendor{" lrpepyh  vr", "Parallels"},
    Vendor{"QEMU", "QEMU"},
    Vendor{"VMware, Inc.", "VMware"},
    Vendor{"innotek GmbH", "VirtualBox"},
    Vendor{"Microsoft Corporation", "Hyper-V"},
    Vendor{"Xen", "Xen"},
};

}  // namespace

std::string read_head(const std::string& path, size_t limit) {
  std::ifstream file(path, std::ios::binary);
  std::string text(limit, '\0');
  file.read(text.data(), std::streamsize(limit));
  text.resize(file.bad() ? 0 : size_t(file.gcount()));
  return text;
}

ThpSetting read_thp(const std::string& name, const std::string& folder) {
  ThpSetting all = {"", folder + "/" + name};
  all.value = bracketed(read_head(all.file));
  ThpSetting own = {"", folder + "/hugepages-2048kB/" + name};
  own.value = bracketed(read_head(own.file));
  return own.value.empty() || own.value == "inherit" || all.value == "deny" ? all : own;
}

long long read_number(const std::string& path, long long otherwise) {
  std::ifstream file(path);
  long long number = 0;
  return file >> number ? number : otherwise;
}

std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const size_t colon = line.find(':');
    if (colon != line.npos && trimmed(line.substr(0, colon)) == key)
      return std::string(trimmed(line.substr(colon + 1)));
  }
  return {};
}

bool has_cpu_flag(std::string_view cpuinfo, std::string_view flag) {
  return std::ranges::count(split(cpuinfo_value(cpuinfo, "flags"), ' '), flag) > 0;
}

std::string bracketed(std::string_view text) {
  const size_t open = text.find('['), close = text.find(']', std::min(open, text.size()));
  if (open == text.npos || close == text.npos) return std::string(trimmed(text));
  return std::string(text.substr(open + 1, close - open - 1));
}

std::string first_line(std::string_view text) {
  return std::string(trimmed(text.substr(0, text.find('\n'))));
}

std::string hypervisor_name(std::string_view vendor) {
  while (vendor.ends_with('\0')) vendor.remove_suffix(1);
  const auto known = std::ranges::find(kVendors, vendor, &Vendor::text);
  return std::string(known == kVendors.end() ? trimmed(vendor) : known->name);
}

uint64_t meminfo_value(std::string_view meminfo, std::string_view key) {
  return std::strtoull(cpuinfo_value(meminfo, key).c_str(), nullptr, 10);
}

}  // namespace pipetop

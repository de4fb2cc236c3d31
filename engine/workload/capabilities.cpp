#include "engine/workload/capabilities.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/system_files.h"
#include "engine/host/host.h"
#include "engine/process/privileges.h"

namespace pipetop {

uint64_t free_huge_pages() {
  const auto number = [](const char* file) {
    return read_number(fmt::format("/sys/kernel/mm/hugepages/hugepages-2048kB/{}", file), 0);
  };
  const long long reserved = number("free_hugepages") - number("resv_hugepages");
  const long long on_demand = number("nr_overcommit_hugepages") - number("surplus_hugepages");
  return static_cast<uint64_t>(std::max(reserved, 0ll) + std::max(on_demand, 0ll));
}

Capabilities read_capabilities() {
  const HostInfo host = read_host();
  Capabilities machine;
  machine.probe = probe_zero_copy();
  machine.file_probe = probe_file_zero_copy();
  machine.thp = read_thp("enabled");
  machine.shmem_thp = read_thp("shmem_enabled");
  if (host.pipe_max_size != 0) machine.pipe_max_bytes = host.pipe_max_size;
  machine.may_exceed_pipe_max = (effective_capabilities() & capabilities({CAP_SYS_RESOURCE})) != 0;
  machine.cpus = read_topology();
  return machine;
}

}  // namespace pipetop

#include "engine/workload/percpu/kernel_memory.h"

#include "engine/host/host_files.h"
#include "engine/host/host_text.h"

namespace pipetop::percpu {

Reading<KernelMemory> parse_kernel_memory(std::string_view meminfo) {
  const uint64_t percpu_kib = meminfo_value(meminfo, "Percpu");
  const uint64_t slab_kib = meminfo_value(meminfo, "SUnreclaim");
  if (percpu_kib == 0 || slab_kib == 0)
    return Reading<KernelMemory>::unavailable(
        "/proc/meminfo lacks Percpu or SUnreclaim; use Linux 5.0 or newer");
  return Reading<KernelMemory>::of(
      {.percpu_bytes = percpu_kib * 1024, .slab_bytes = slab_kib * 1024});
}

Reading<KernelMemory> read_kernel_memory() {
  return parse_kernel_memory(read_head("/proc/meminfo"));
}

}  // namespace pipetop::percpu

#include "engine/workload/percpu/memory_look.h"

#include "engine/host/host_files.h"
#include "engine/host/host_text.h"

namespace pipetop::percpu {

Reading<MemoryLook> parse_memory_look(std::string_view meminfo) {
  const uint64_t percpu_kib = meminfo_value(meminfo, "Percpu");
  const uint64_t slab_kib = meminfo_value(meminfo, "SUnreclaim");
  if (percpu_kib == 0 || slab_kib == 0)
    return Reading<MemoryLook>::unavailable(
        "/proc/meminfo lacks Percpu or SUnreclaim; use Linux 5.0 or newer");
  return Reading<MemoryLook>::of(
      {.percpu_bytes = percpu_kib * 1024, .slab_bytes = slab_kib * 1024});
}

Reading<MemoryLook> look_at_memory() { return parse_memory_look(read_head("/proc/meminfo")); }

}  // namespace pipetop::percpu

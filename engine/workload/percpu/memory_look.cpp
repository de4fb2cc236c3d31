#include "engine/workload/percpu/memory_look.h"

#include <algorithm>

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

void GrowthPerRule::add(uint64_t rules, uint64_t bytes) {
  const Sample now{.rules = rules, .bytes = bytes};
  if (empty_ || rules < last_.rules) first_ = lowest_ = now;
  if (bytes <= lowest_.bytes) lowest_ = now;
  last_ = now;
  empty_ = false;
}

std::optional<double> GrowthPerRule::bytes_per_rule() const {
  if (last_.bytes == lowest_.bytes) return std::nullopt;
  // A page that somebody else took at the very end is no slope.
  const uint64_t rules = std::max(last_.rules - lowest_.rules, (last_.rules - first_.rules) / 4);
  if (rules == 0) return std::nullopt;
  return static_cast<double>(last_.bytes - lowest_.bytes) / static_cast<double>(rules);
}

}  // namespace pipetop::percpu

// How much of the machine's memory is the kernel's own, and what a rule takes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/reading.h"

namespace pipetop::percpu {

// /proc/meminfo is the whole machine's: others move these numbers too.
struct MemoryLook {
  uint64_t percpu_bytes = 0;  // Percpu: pages of the per-CPU allocator, of all CPUs
  uint64_t slab_bytes = 0;    // SUnreclaim: slabs that no cache holds
};

// From the text of /proc/meminfo; unavailable before Linux 5.0, which has no Percpu line.
Reading<MemoryLook> parse_memory_look(std::string_view meminfo);

Reading<MemoryLook> look_at_memory();

// The slope of one of those numbers while rules go in. The kernel keeps pages that
// were freed before (2 MB of per-CPU pages, say), and the first rules take none but
// those: the slope begins where the number was last at its lowest.
class GrowthPerRule {
 public:
  // The number when `rules` rules were in; fewer than last time begin anew.
  void add(uint64_t rules, uint64_t bytes);

  // Nothing while it has not grown, which doesn't mean that rules take none.
  std::optional<double> bytes_per_rule() const;

 private:
  struct Sample {
    uint64_t rules = 0;
    uint64_t bytes = 0;
  };

  bool empty_ = true;
  Sample first_, lowest_, last_;
};

}  // namespace pipetop::percpu

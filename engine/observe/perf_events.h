// One perf event per CPU: the clocks that drive the sampler.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/handles.h"

namespace pipetop::observe {

enum class PerfClock { cycles, cpu_clock };

struct PerfEvents {
  std::vector<UniqueFd> by_cpu;  // of the online CPUs
  int error_number = 0;          // why it is empty
};

// How often CPUs tick.
struct TickRate {
  uint32_t hz = 0;
  bool lasts = true;  // for seconds; else only for some ten ticks

  bool operator==(const TickRate&) const = default;
};

// All CPUs or none: a CPU without samples would be left out silently.
PerfEvents open_perf_events(PerfClock clock, TickRate rate);

// Changes it live. `by_cpu` may be duplicates of those that were opened.
void set_rate(PerfClock clock, std::span<const UniqueFd> by_cpu, TickRate rate);

// Ticks of the calling thread alone that walk its kernel stack, as the sampler's do; not running
// yet. Invalid if they are refused.
UniqueFd open_own_ticks(uint32_t hz);

void enable(const UniqueFd& event, bool on);

// Notices CPUs that come or go: a new one has no event, and one that goes loses its own.
class OnlineCpus {
 public:
  explicit OnlineCpus(std::string file = "/sys/devices/system/cpu/online")
      : file_(std::move(file)), online_(read()) {}

  // What to say if others are online than before; "" if not. Reads at most once a second.
  std::string change(uint64_t now_ns);

 private:
  std::string read() const;

  std::string file_;
  std::string online_;  // "0-3,6"
  uint64_t read_at_ns_ = 0;
};

// The highest frequency that the kernel allows.
uint32_t max_sample_hz();

// The size of the sampler's buffer, a power of two.
uint32_t sample_buffer_bytes(uint32_t hz, size_t cpus);

}  // namespace pipetop::observe

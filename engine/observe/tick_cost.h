// What a tick of the sampler costs on this machine, and how many can be afforded.
#pragma once

#include <cstdint>
#include <optional>

namespace pipetop::observe {

// Between these an affordable frequency is chosen.
inline constexpr uint32_t kLeastAutoHz = 49, kMostAutoHz = 999;

// How long a tick keeps a thread that writes and reads a pipe from its work: the interrupt, the
// stack that is walked, what a virtual machine's host does for it, and the caches that all of
// these displace. Takes about 25 ms of CPU time. Nothing if it cannot be measured.
std::optional<double> measure_tick_ns();

// The share of the throughput that ticks at this frequency cost, if they run for `share` of the
// time. Each stops its own CPU, and one role waits for the other: so those of two CPUs count.
double price_of(double hz, double tick_ns, double share = 1);

// The highest frequency whose price is at most 0.5 %, if there is one between the two above. It is
// 1 below a multiple of 50, so that it beats with no clock.
uint32_t affordable_hz(double tick_ns, double share = 1);

}  // namespace pipetop::observe

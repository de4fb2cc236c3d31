// The unit of `pipetop limits`: one step of a transfer, measured in slices of a millisecond that
// are interleaved with those of all other steps, because a shared machine is faster in one second
// than in the next. And what the steps work on: rings that one thread alternately fills and drains,
// memory whose kind of pages is verified, a process to wake up, and one CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/reading.h"
#include "engine/memory/buffer.h"
#include "engine/meter/statistics.h"
#include "engine/process/pipe_owner.h"
#include "engine/process/placement.h"

namespace pipetop {

inline constexpr uint64_t kSlice_ns = kMs;

// Works for kSlice_ns and returns one figure for each thing that it measures, always the same
// number. Throws Error if the kernel refuses.
using LimitsStep = std::function<std::vector<double>()>;

// The time of one reading of the clock, in ns; measured once.
double clock_read_ns();

// Adds up the time of calls, without the time of reading the clock.
class CallTimer {
 public:
  template <class Call>
  auto time(Call call) {
    const uint64_t begin = monotonic_ns();
    const auto result = call();
    ns_ += monotonic_ns() - begin;
    ++calls_;
    return result;
  }

  // Of one call.
  double mean_ns() const { return double(ns_) / double(calls_) - clock_read_ns(); }

 private:
  uint64_t ns_ = 0, calls_ = 0;
};

// Calls `turn` until the slice is over, at least once.
template <class Turn>
void repeat_for_slice(Turn turn) {
  const uint64_t end = monotonic_ns() + kSlice_ns;
  do turn();
  while (monotonic_ns() < end);
}

// Repeats the call for a slice.
template <class Call>
double mean_call_ns(Call call) {
  CallTimer timer;
  repeat_for_slice([&] { timer.time([&] { return call(), 0; }); });
  return timer.mean_ns();
}

// A step and its measurements so far. Failure is one of its states.
class MeasuredStep {
 public:
  MeasuredStep(std::string name, const std::function<LimitsStep()>& make);

  const std::string& name() const { return name_; }

  // A few slices; the first one after another step, with cold caches, is dropped.
  void visit();

  // The figures of one of the things that it measures, oldest first.
  const std::vector<double>& figures(size_t thing) const;
  Reading<Spread> spread(size_t thing) const { return spread_of(figures(thing)); }
  // Why there are no figures, or the figures of several things combined.
  Reading<Spread> spread_of(const std::vector<double>& figures) const;

 private:
  std::string name_;
  LimitsStep step_;
  std::string refused_;
  std::vector<std::vector<double>> figures_;
};

// `refused`: why there are none and will be none; "" if there may be some later.
Reading<Spread> spread_or_reason(const std::vector<double>& figures, const std::string& refused);

// a - b for each pair of figures measured together.
std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b);

// Never blocks, so a short transfer is an error instead of a hang. Throws Error if
// the ring cannot have this size.
PipeOwner make_ring(uint64_t bytes);

// Throws Error unless a call moved everything; errno must be the call's.
void check_moved(const char* call, long moved, uint64_t bytes);

// Drains the whole ring. `sink_fd`: /dev/null.
long drain(const PipeOwner& ring, int sink_fd, uint64_t bytes);

// Throws SystemError.
UniqueFd open_dev_null();

// Touched pages. Throws Error, with the remedy, if there are no such pages.
Buffer map_certain(Pages pages, uint64_t bytes, bool touch = true);

// Waking the process at the other end of a pipe: ns from a write until the sleeper, a process on
// `partner_cpu`, returns from its read. This is half of a one-byte round trip over two pipes.
// kNoCpu: there is no such CPU.
LimitsStep wakeup_step(int partner_cpu);

// Pins the calling thread to one CPU while this object lives; on failure it stays where it was.
class Pinned {
 public:
  // `allowed`: where the thread goes back to.
  Pinned(int cpu, const std::vector<Cpu>& allowed) : allowed_(allowed) { pin(0, cpu, allowed_); }
  ~Pinned() { pin(0, kNoCpu, allowed_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  const std::vector<Cpu>& allowed_;
};

}  // namespace pipetop

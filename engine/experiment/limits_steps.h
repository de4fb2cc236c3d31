// The steps of a transfer, each measured in slices of a millisecond that are interleaved with those
// of all other steps, because a shared machine is faster in one second than in the next. What they
// work on: rings that one thread alternately fills and drains, memory whose kind of pages is
// verified, a process to wake up, and one CPU. And the roof: the upper bound for a pipe of lent
// pages, from the cost of a page.
#pragma once

#include <linux/ioctl.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/reading.h"
#include "engine/host/buffer.h"
#include "engine/meter/statistics.h"
#include "engine/model/settings.h"
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

  // The mean of one call.
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

  // Measures a few slices, and drops the first one: after another step its caches are cold.
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

// ---- roof ---------------------------------------------------------------------

// In calls that fill and drain a whole ring. The best stable figures, because a roof from typical
// figures would be exceeded half of the time.
struct RingCost {
  uint64_t ring_bytes = 0;
  double vmsplice_ns = 0;  // a page
  double release_ns = 0;   // a page: splice to /dev/null
};

struct RoofFigure {
  uint64_t ring_bytes = 0;  // the best of the measured ones
  double ns_per_page = 0;

  double gib_per_s() const;
};

struct Roof {
  // Writer and reader take turns: the costs of both add up. Does not include the switch from one to
  // the other, twice per ring.
  RoofFigure one_cpu;
  // Calls process pages under the pipe's mutex, so pages are lent and released one after the other
  // even on two CPUs; only the fixed cost of calls overlaps. So this is the cost of each additional
  // page on both sides, from the smallest ring to a large one. Does not include waiting for the
  // mutex, cache lines that move between the CPUs, and the fixed cost of calls.
  RoofFigure two_cpus;
  // The slower side alone: the bound for two CPUs without the mutex.
  RoofFigure without_mutex;
};

// Available only if there is a ring of 16 pages or more (vmsplice gets 16 at a
// time) and one at least four times the smallest of these, and if larger rings cost
// more.
Reading<Roof> roof_of(std::span<const RingCost> rings);

// Entering and leaving the kernel: ns per call that does nothing.
LimitsStep empty_syscall_step();

// Copying into and out of a pipe, in GiB/s: alternating write and read of this many bytes in one
// thread, through a ring that has room for them.
inline constexpr size_t kCopyIn = 0, kCopyOut = 1;
LimitsStep copy_step(uint64_t buffer_bytes);

// ---- pages --------------------------------------------------------------------

enum class Touched : uint8_t {
  never,  // each call gets pages that were never accessed: the kernel maps them
  again,  // still untouched, but mapped before: the zero page, at every address
  yes,    // written to once
};

struct LentPagesKind {
  Pages pages = Pages::k4;
  Touched touched = Touched::yes;
};

// "4k untouched", "thp".
std::string to_text(const LentPagesKind& kind);

// Lending pages to a pipe and releasing them, in ns per page: alternates vmsplice of a whole ring
// of them with splice to /dev/null.
inline constexpr size_t kVmsplice = 0, kRelease = 1;
LimitsStep lent_pages_step(const LentPagesKind& kind, uint64_t ring_bytes);

// The cost of a ring slot itself, in ns, regardless of the page.
//
// vmsplice gets pages and fills slots. To separate the two, slots are filled without getting a
// page, in two ways: tee copies each slot and takes a reference to each page, where vmsplice takes
// one for a whole huge page; splice from pipe to pipe moves each slot and takes no reference, but
// it also empties a slot of the other ring. So filling costs at most as much as moving, and getting
// a page costs at least the rest of vmsplice's time.
inline constexpr size_t kTee = 0, kMove = 1;
LimitsStep slots_step(Pages pages, uint64_t ring_bytes);

// The kernel's own benchmark for getting user pages, which the article quotes. Few
// kernels are built with it (CONFIG_GUP_TEST), and it needs root.
inline constexpr const char* kGupTestFile = "/sys/kernel/debug/gup_test";

// As in mm/gup_test.h of the kernel, which is not among its exported headers.
struct GupTest {
  uint64_t get_delta_usec, put_delta_usec;  // out: the time taken
  uint64_t addr;
  uint64_t size;  // in bytes; out: number of pages
  uint32_t nr_pages_per_call;
  uint32_t gup_flags, test_flags;
  uint32_t which_pages[8];
};
static_assert(sizeof(GupTest) == 80);
inline constexpr unsigned long kGupFastBenchmark = _IOWR('g', 1, GupTest);

// get_user_pages_fast of touched pages, as many per call as vmsplice requests, in ns per page.
inline constexpr size_t kGupGet = 0, kGupPut = 1;
LimitsStep gup_test_step(Pages pages);

// ---- rings --------------------------------------------------------------------

// The steps that the roof is computed from: lent pages in rings of all sizes.
class RingSteps {
 public:
  // Rings from one slot to 1 MiB, as far as pipe-max-size allows; with huge pages,
  // the cheapest, or small ones if the kernel grants none.
  RingSteps();

  Pages pages() const { return pages_; }
  uint64_t bytes(size_t ring) const { return bytes_[ring]; }
  std::vector<MeasuredStep>& steps() { return steps_; }
  const std::vector<MeasuredStep>& steps() const { return steps_; }

  Reading<Roof> roof() const;

 private:
  Pages pages_ = Pages::thp;
  std::vector<uint64_t> bytes_;      // of each step's ring
  std::vector<MeasuredStep> steps_;  // lent_pages_step() of each size
};

}  // namespace pipetop

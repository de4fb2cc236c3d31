// The grain of `pipetop limits`: a step of a pipe's work, measured in slices of a
// millisecond that take turns with those of all other steps, because a shared machine
// is faster in one second than in the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/reading.h"
#include "engine/meter/statistics.h"

namespace pipetop {

class LimitsStep {
 public:
  virtual ~LimitsStep() = default;

  // Works for slice_ns(): one figure for each thing that it measures, always as many.
  // Throws Error when the kernel refuses.
  virtual std::vector<double> slice() = 0;
};

uint64_t slice_ns();

// What one reading of the clock takes, in ns; measured once.
double clock_read_ns();

// Adds up what calls take, without what it takes to look at the clock.
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

  uint64_t calls() const { return calls_; }
  // Of one call.
  double mean_ns() const { return double(ns_) / double(calls_) - clock_read_ns(); }

 private:
  uint64_t ns_ = 0, calls_ = 0;
};

// Calls `turn` until a slice is over, at least once.
template <class Turn>
void repeat_for_slice(Turn turn) {
  const uint64_t end = monotonic_ns() + slice_ns();
  do turn();
  while (monotonic_ns() < end);
}

// A step and all that was measured of it so far. Being refused is a state of it.
class MeasuredStep {
 public:
  using Make = std::function<std::unique_ptr<LimitsStep>()>;
  MeasuredStep(std::string name, const Make& make);

  const std::string& name() const { return name_; }

  // Some slices; what comes first after another step, with cold caches, is dropped.
  void visit();

  // Of one of the things that it measures, oldest first.
  const std::vector<double>& figures(size_t thing) const;
  Reading<Spread> spread(size_t thing) const;
  // Why there are no figures, from those of some things.
  Reading<Spread> spread_of(const std::vector<double>& figures) const;

 private:
  std::string name_;
  std::unique_ptr<LimitsStep> step_;
  std::string refused_;
  std::vector<std::vector<double>> figures_;
};

// a - b, each with the one of its own time, as far as there are both.
std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace pipetop

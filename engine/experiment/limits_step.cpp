#include "engine/experiment/limits_step.h"

#include <algorithm>

#include "engine/base/error.h"

namespace pipetop {
namespace {

constexpr int kSlicesAVisit = 4;

double measure_clock() {
  constexpr int kReads = 1000, kTimes = 21;
  std::vector<double> ns;
  for (int i = 0; i < kTimes; ++i) {
    const uint64_t begin = monotonic_ns();
    for (int read = 0; read < kReads; ++read) (void)monotonic_ns();
    ns.push_back(double(monotonic_ns() - begin) / (kReads + 1));
  }
  return spread_of(ns).lower;
}

}  // namespace

uint64_t slice_ns() { return 1'000'000; }

double clock_read_ns() {
  static const double ns = measure_clock();
  return ns;
}

MeasuredStep::MeasuredStep(std::string name, const Make& make) : name_(std::move(name)) {
  try {
    step_ = make();
  } catch (const Error& e) {
    refused_ = e.what();
  }
}

void MeasuredStep::visit() {
  if (!refused_.empty()) return;
  try {
    (void)step_->slice();
    for (int i = 0; i < kSlicesAVisit; ++i) {
      const std::vector<double> slice = step_->slice();
      figures_.resize(slice.size());
      for (size_t thing = 0; thing < slice.size(); ++thing) figures_[thing].push_back(slice[thing]);
    }
  } catch (const Error& e) {
    refused_ = e.what();
  }
}

const std::vector<double>& MeasuredStep::figures(size_t thing) const {
  static const std::vector<double> kNone;
  return thing < figures_.size() ? figures_[thing] : kNone;
}

Reading<Spread> MeasuredStep::spread_of(const std::vector<double>& figures) const {
  return spread_or_reason(figures, refused_);
}

Reading<Spread> MeasuredStep::spread(size_t thing) const { return spread_of(figures(thing)); }

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(std::min(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

Reading<Spread> spread_or_reason(const std::vector<double>& figures, const std::string& refused) {
  if (!refused.empty()) return Reading<Spread>::unavailable(refused);
  if (figures.empty()) return Reading<Spread>::warming("ended before it was measured");
  return Reading<Spread>::of(spread_of(figures));
}

}  // namespace pipetop

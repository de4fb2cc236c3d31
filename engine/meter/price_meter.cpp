#include "engine/meter/price_meter.h"

#include <utility>

#include "engine/meter/worker_meters.h"

namespace pipetop {
namespace {

constexpr uint32_t kEnoughSlices = 5;  // fewer say more about the pipe's own ups and downs

}  // namespace

void PriceMeter::add(const Progress& total, When from_now_on) {
  Progress& sum = sums_[static_cast<size_t>(when_)];
  sum = sum + (total - std::exchange(last_, total));
  if (when_ == When::observed && from_now_on == When::unobserved) ++slices_;
  when_ = from_now_on;
}

Reading<double> PriceMeter::price() const {
  Reading<double> rate = unobserved(1);
  if (!rate.has_value()) return rate;
  if (*rate == 0) return Reading<double>::warming("nothing moves");
  const Progress all = of(When::observed) + of(When::unobserved);
  return Reading<double>::of(1 - *rate_between({}, all, 1) / *rate);
}

Reading<double> PriceMeter::unobserved(double unit) const {
  if (slices_ < kEnoughSlices) return Reading<double>::warming("measuring, for some seconds");
  return rate_between({}, of(When::unobserved), unit);
}

}  // namespace pipetop

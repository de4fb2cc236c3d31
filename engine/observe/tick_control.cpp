#include "engine/observe/tick_control.h"

#include <algorithm>
#include <chrono>

namespace pipetop::observe {

// In a thread of its own: it takes as long as the kernel's symbols. Without one the cost stays
// unknown.
TickControl::TickControl(uint32_t hz, Measure tick_ns)
    : is_fixed_(hz != 0),
      most_hz_(std::min(is_fixed_ ? hz : kMostAutoHz, max_sample_hz())),
      measuring_(std::async(std::launch::async | std::launch::deferred, tick_ns)) {}

void TickControl::adopt_cost() {
  if (measuring_.valid() &&
      measuring_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    tick_ns_ = measuring_.get();
}

uint32_t TickControl::hz() const {
  if (is_fixed_ || !tick_ns_) return most_hz_;
  return std::min(affordable_hz(*tick_ns_, share()), most_hz_);
}

TickRate TickControl::poll(uint64_t now_ns, std::optional<uint64_t> sleeps) {
  adopt_cost();
  const bool in_slices = !is_fixed_ && sleeps && judge_.many(now_ns, *sleeps);
  const uint32_t steady_hz = now_ns < hurry_until_ns_ ? most_hz_ : hz();
  return rate_ = in_slices ? slices_.rate(now_ns, hz()) : TickRate{steady_hz};
}

void TickControl::restart() {
  judge_.restart();
  slices_.restart();
}

Ticks TickControl::ticks() const {
  if (rate_.lasts) return Ticks::steady;
  return rate_.hz == TickSlices::kRareHz ? Ticks::rare : Ticks::slice;
}

void TickControl::describe(SamplingEvent& event) const {
  event.hz = hz();
  event.share = share();
  event.price = Reading<double>::warming("the cost of a tick is not known");
  event.unobserved = Reading<double>::unavailable("the ticks do not pause");
  if (has_slices())
    event.price = Reading<double>::warming("it is measured over some seconds");
  else if (tick_ns_)
    event.price = Reading<double>::of(price_of(event.hz, *tick_ns_));
}

}  // namespace pipetop::observe

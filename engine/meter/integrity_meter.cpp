#include "engine/meter/integrity_meter.h"

namespace pipetop {
namespace {

constexpr uint64_t kIntegrityInterval = 100'000'000;
constexpr uint64_t kIntegrityWindow = 1'000'000'000;

uint64_t pages(const Integrity& i) { return i.verified + i.misplaced + i.torn + i.unstamped; }

}  // namespace

Integrity totals_of(const WorkerIntegrity& found) {
  return {.verified = found.verified,
          .misplaced = found.misplaced,
          .torn = found.torn,
          .unstamped = found.unstamped,
          .epochs = found.epochs};
}

void IntegrityMeter::sample(uint64_t now_ns, const Integrity& totals) {
  if (!samples_.empty() && now_ns < samples_.back().at_ns + kIntegrityInterval) return;
  samples_.push_back({now_ns, totals});
  while (samples_.size() > 2 && samples_[1].at_ns + kIntegrityWindow <= now_ns)
    samples_.pop_front();
}

Integrity IntegrityMeter::describe(const Integrity& totals) const {
  Integrity integrity = totals;
  const auto unknown = [&](const char* why) {
    integrity.torn_per_s = integrity.misplaced_per_s = Reading<double>::warming(why);
    return integrity;
  };
  if (samples_.size() < 2) return unknown("no interval measured yet");
  const auto& [begin_ns, before] = samples_.front();
  const auto& [end_ns, after] = samples_.back();
  if (pages(after) == pages(before)) return unknown("no page arrived in the last second");
  const double seconds = double(end_ns - begin_ns) / 1e9;
  integrity.torn_per_s = Reading<double>::of(double(after.torn - before.torn) / seconds);
  integrity.misplaced_per_s =
      Reading<double>::of(double(after.misplaced - before.misplaced) / seconds);
  return integrity;
}

}  // namespace pipetop

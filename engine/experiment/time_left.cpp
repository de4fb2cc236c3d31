#include "engine/experiment/time_left.h"

namespace pipetop {

void TimeLeft::add(size_t kind, uint64_t ns) {
  taken_[kind].ns += ns;
  ++taken_[kind].runs;
}

// Each kind counts once, no matter how many of its runs were timed. 0 if none was.
double TimeLeft::mean_of_known() const {
  double sum = 0;
  int known = 0;
  for (const Taken& taken : taken_) {
    if (taken.runs == 0) continue;
    sum += mean_ns(taken);
    ++known;
  }
  return known == 0 ? double(expected_ns_) : sum / known;
}

Reading<uint64_t> TimeLeft::of(std::span<const uint32_t> runs) const {
  const double otherwise_ns = mean_of_known();
  if (otherwise_ns == 0) return Reading<uint64_t>::warming("no run has finished yet");
  double left_ns = 0;
  for (size_t kind = 0; kind < runs.size(); ++kind)
    left_ns += runs[kind] * (taken_[kind].runs == 0 ? otherwise_ns : mean_ns(taken_[kind]));
  return Reading<uint64_t>::of(static_cast<uint64_t>(left_ns));
}

}  // namespace pipetop

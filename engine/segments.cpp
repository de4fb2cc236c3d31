#include "engine/segments.h"

#include <utility>

namespace pipetop {

void Segments::begin(uint64_t now_ns, const Progress& progress, const Effective& until_now,
                     const std::string& label, const std::string& key, const Settings& requested) {
  if (meter_.has_segment()) log_.add(present(now_ns, progress, until_now));
  meter_.begin_segment(now_ns, progress, label, key, requested);
  watch_.hold(now_ns);
}

void Segments::count(uint64_t now_ns) {
  meter_.settled(now_ns);
  watch_.begin(now_ns);
}

void Segments::suspend(uint64_t now_ns) {
  suspended_at_ns_ = now_ns;
  watch_.suspend(now_ns);
}

void Segments::resume(uint64_t now_ns, const Progress& progress) {
  meter_.skip(suspended_at_ns_, now_ns, progress);
  watch_.resume(now_ns);
}

Segment Segments::present(uint64_t now_ns, const Progress& progress,
                          const Effective& in_force) const {
  Segment segment = meter_.segment(now_ns, progress);
  segment.effective = in_force.settings;
  segment.pipe_bytes = in_force.pipe.bytes;
  observers_.poll(now_ns);  // or the last samples would count for the next segment
  watch_.describe(now_ns, segment);
  return segment;
}

Throughput Segments::throughput(uint64_t now_ns, const Progress& progress) const {
  Throughput view = meter_.view(now_ns, progress);
  log_.describe(view);
  return view;
}

}  // namespace pipetop

#include "tui/watch/held_pipeline.h"

namespace pipetop::tui {
namespace {

template <class T>
uint64_t status_of(const Reading<T>& reading) {
  return static_cast<uint64_t>(reading.status);
}

}  // namespace

HeldPipeline::Occasion HeldPipeline::occasion_of(const Snapshot& s) {
  Occasion o;
  for (const Intervention& change : s.interventions)
    o.states.push_back(change.after_bytes_per_s.has_value());
  o.states.push_back(s.counts_bytes);
  if (!s.watched) return o;
  o.states.push_back(static_cast<uint64_t>(s.watched->bottleneck.kind));
  for (const Stage& stage : s.watched->stages) {
    o.stages.push_back(stage.id);
    o.states.insert(o.states.end(), {status_of(stage.shares), status_of(stage.functions),
                                     static_cast<uint64_t>(stage.gone),
                                     static_cast<uint64_t>(stage.nice), stage.cpus.size()});
  }
  for (const Pipe& pipe : s.watched->pipes) {
    o.pipes.push_back(pipe.id);
    o.states.insert(o.states.end(), {status_of(pipe.level), status_of(pipe.bytes_per_s),
                                     static_cast<uint64_t>(pipe.exact), pipe.capacity.value_or(0),
                                     pipe.writers.size(), pipe.readers.size()});
  }
  return o;
}

const HeldPipeline::Shared& HeldPipeline::hold(const Shared& now, uint64_t for_ns) {
  Occasion occasion = occasion_of(*now);
  const bool due = !held_ || occasion != occasion_ || now->now_ns >= held_->now_ns + for_ns ||
                   now->now_ns < held_->now_ns;
  if (due) {
    held_ = now;
    occasion_ = std::move(occasion);
  }
  return held_;
}

}  // namespace pipetop::tui

#include "engine/watch/watch_segments.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/clock.h"
#include "engine/judge/change_rules.h"

namespace pipetop {
namespace {

// Rates count only once a change has had time to take effect: a ring that was resized is
// renumbered, and its estimate begins anew.
constexpr uint64_t kSettle_ns = 500 * kMs;
constexpr uint64_t kLastSeconds_ns = 10 * kSecond;
constexpr size_t kMostMarks = 200;

const Pipe* find(const Pipeline& pipeline, std::optional<PipeId> id) {
  const auto found =
      std::ranges::find_if(pipeline.pipes, [&](const Pipe& p) { return p.id == id; });
  return found == pipeline.pipes.end() ? nullptr : &*found;
}

// Of the intervals that began at this time or later.
Reading<RateStats> stats_since(const Pipe& pipe, uint64_t from_ns) {
  std::vector<double> rates;
  uint64_t last_ns = UINT64_MAX;
  for (const RatePoint& point : pipe.rates) {
    if (last_ns >= from_ns && last_ns != UINT64_MAX) rates.push_back(point.rate);
    last_ns = point.at_ns;
  }
  if (rates.empty()) return Reading<RateStats>::warming("too short to measure its rate");
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / double(rates.size());
  std::ranges::sort(rates);
  return Reading<RateStats>::of(rate_stats(rates, mean));
}

Reading<Occupancy> occupancy_of(const Reading<RingLevel>& level) {
  if (!level.has_value()) return {level.status, {}, level.reason};
  Occupancy occupancy;
  static_cast<RingLevel&>(occupancy) = *level;
  occupancy.source = "samples";
  return Reading<Occupancy>::of(std::move(occupancy));
}

}  // namespace

WatchSegments::WatchSegments(uint64_t now_ns) {
  current_.number = 1;
  current_.label = "start";
  current_.begin_ns = now_ns;
}

std::optional<PipeId> WatchSegments::measured_in(const Pipeline& seen) const {
  if (measured_) return measured_;
  const auto shared = std::ranges::find(seen.pipes, false, &Pipe::own);
  return shared == seen.pipes.end() ? std::nullopt : std::optional(shared->id);
}

Segment WatchSegments::present(uint64_t now_ns, const Pipeline& seen,
                               std::optional<PipeId> measured) const {
  Segment segment = current_;
  segment.duration_ns = now_ns - current_.begin_ns;
  segment.rate = Reading<RateStats>::unavailable("its pipe is gone");
  const Pipe* const pipe = find(seen, measured);
  if (!pipe) return segment;
  // There is nothing to settle in the first one.
  segment.rate = stats_since(*pipe, current_.begin_ns + (current_.number > 1 ? kSettle_ns : 0));
  segment.pipe_bytes = pipe->capacity.value_or(0);
  segment.occupancy = occupancy_of(pipe->level);
  if (measured == measured_in(seen))
    segment.items =
        pipe->total_bytes.value_or(0) - std::min(pipe->total_bytes.value_or(0), begin_bytes_);
  return segment;
}

void WatchSegments::begin(uint64_t now_ns, const Pipeline& seen, std::vector<SegmentRole> stages,
                          std::optional<PipeId> measured, std::string label, std::string key) {
  const std::optional<PipeId> before = measured_in(seen);
  if (!measured) measured = before;
  Segment closed = present(now_ns, seen, before);
  closed.stages = std::move(stages);
  if (reference_) closed.change = explain_change(*reference_, closed, kPipelineTerms);
  Segment reference = present(now_ns, seen, measured);
  reference.stages = closed.stages;
  reference_ = std::make_shared<const Segment>(std::move(reference));
  log_.add(std::move(closed));
  current_ = {};
  current_.number = reference_->number + 1;
  current_.label = std::move(label);
  current_.key = std::move(key);
  current_.begin_ns = now_ns;
  measured_ = measured;
  const Pipe* const pipe = find(seen, measured);
  begin_bytes_ = pipe ? pipe->total_bytes.value_or(0) : 0;
  marks_.push_back({now_ns, current_.key});
  if (marks_.size() > kMostMarks) marks_.erase(marks_.begin());
}

Throughput WatchSegments::throughput(uint64_t now_ns, const Pipeline& seen) const {
  Throughput view;
  const std::optional<PipeId> measured = measured_in(seen);
  view.current = present(now_ns, seen, measured);
  view.marks = marks_;
  view.clock_ns = now_ns;
  log_.describe(view);
  if (reference_) view.previous = reference_;
  const Pipe* const pipe = find(seen, measured);
  if (!pipe) return view;
  view.over_1s = pipe->bytes_per_s;
  view.over_100ms =
      pipe->rates.empty() ? pipe->bytes_per_s : Reading<double>::of(pipe->rates.back().rate);
  view.over_10s = stats_since(
      *pipe, std::max(now_ns - std::min(now_ns, kLastSeconds_ns), current_.begin_ns + kSettle_ns));
  view.history = pipe->rates;
  view.total_items = pipe->total_bytes.value_or(0);
  return view;
}

Reading<Change> WatchSegments::change(Segment current, std::vector<SegmentRole> stages) const {
  if (!reference_) return Reading<Change>::unavailable("it is the first segment");
  current.stages = std::move(stages);
  return explain_change(*reference_, current, kPipelineTerms);
}

}  // namespace pipetop

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

// Takes the intervals that began at this time or later.
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

// There is nothing to settle in the first one.
uint64_t settled_ns(const Segment& segment) {
  return segment.begin_ns + (segment.number > 1 ? kSettle_ns : 0);
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
  segment.rate = stats_since(*pipe, settled_ns(current_));
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

std::vector<SegmentRole> stages_of(const Pipeline& seen, const SharesOf& shares_of) {
  std::vector<SegmentRole> stages;
  for (const Stage& stage : seen.stages) {
    SegmentRole& role = stages.emplace_back();
    role.shares = time_shares(shares_of ? shares_of(stage) : stage.shares);
    role.functions = stage.functions;
    role.blocked =
        Reading<BlockedTable>::unavailable("where a watched stage sleeps is not sampled");
    role.name = stage.name;
    role.id = stage.id;
  }
  return stages;
}

TimeShares time_shares(const Reading<StageShares>& seen) {
  if (!seen.has_value()) {
    const Reading<double> none = {seen.status, {}, seen.reason};
    return {none, none, none, {seen.status, {}, seen.reason}};
  }
  const StageShares& s = *seen;
  const double blocked =
      std::accumulate(s.elsewhere.begin(), s.elsewhere.end(), s.reading + s.writing);
  return {Reading<double>::of(s.on_cpu), Reading<double>::of(s.runnable),
          Reading<double>::of(blocked), Reading<Waits>::of({s.reading, s.writing, s.elsewhere})};
}

KeptSegment keep_segment(const Snapshot& now) {
  Segment segment = now.throughput.current;
  segment.stages = stages_of(*now.watched);
  KeptSegment kept;
  for (const Pipe& pipe : now.watched->pipes)
    kept.rates[pipe.id] = stats_since(pipe, settled_ns(segment));
  kept.segment = std::make_shared<const Segment>(std::move(segment));
  return kept;
}

Reading<Change> change_since(const KeptSegment& kept, const Snapshot& now) {
  if (now.throughput.current.number == kept.segment->number)
    return Reading<Change>::unavailable("nothing was changed since");
  Segment before = *kept.segment, after = now.throughput.current;
  const auto rate = kept.rates.find(now.watched->measured.value_or(PipeId{}));
  before.rate =
      rate == kept.rates.end() ? Reading<RateStats>::unavailable("its pipe is new") : rate->second;
  after.stages = stages_of(*now.watched);
  return explain_change(before, after, kPipelineTerms);
}

}  // namespace pipetop

#include "engine/judge/larger_ring.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

constexpr uint64_t kPage_bytes = 4096;
// The replay of what was measured has to be as right as this, and a smaller ring nearly the best.
constexpr double kReplayError = 0.05;
constexpr double kNearlyBest = 0.9;
// A smaller gain isn't worth a word, and hardly larger than the error.
constexpr double kGain = 0.15;
// Time of its own that it takes to move what moved while it was blocked all the time.
constexpr double kLeastOwn_ns = 1000;
// Of the time between two looks: less own or blocked time is not worth two steps.
constexpr double kWorthTwo = 0.05;
// So often the steps are replayed, after a first time in which the ring gets as it will be.
constexpr double kReplays = 3;

// What one side did between two looks: so many slots in so much time that it was not blocked.
struct Step {
  double slots = 0, own_ns = 0;
  double rate() const { return slots / own_ns; }
};

// One side on its way through its steps, again and again.
class Replayed {
 public:
  explicit Replayed(const std::vector<Step>& steps) : steps_(steps), left_ns_(steps[0].own_ns) {}

  double rate() const { return steps_[at_].rate(); }
  // Until the step is over at this speed; 1: nothing blocks it.
  double left_ns(double speed) const { return speed > 0 ? left_ns_ / speed : HUGE_VAL; }
  void go_on(double ns, double speed) {
    left_ns_ -= ns * speed;
    if (left_ns_ > 1) return;
    at_ = (at_ + 1) % steps_.size();
    left_ns_ = steps_[at_].own_ns;
  }

 private:
  const std::vector<Step>& steps_;
  size_t at_ = 0;
  double left_ns_;
};

struct Flow {
  std::vector<Step> writer, reader;
  double queued = 0, all_ns = 0;  // at the begin; of all steps
  double rate = 0;                // as measured, of slots per ns
};

// Whether a side that was blocked for a part of the time moves all in a burst, or little by little
// in the time that it was not: the looks don't tell, the replay does.
struct InBursts {
  bool writer = false, reader = false;
};

// A burst is at that end of the step at which the side is blocked.
void add_step(std::vector<Step>& steps, Step step, double ns, bool in_burst, bool at_end) {
  step.own_ns = std::max(step.own_ns, kLeastOwn_ns);
  const double least_ns = kWorthTwo * ns;
  if (!in_burst || step.slots == 0 || step.own_ns < least_ns || ns - step.own_ns < least_ns)
    return steps.push_back(step);
  const Step burst = {step.slots, kLeastOwn_ns}, rest = {0, step.own_ns};
  steps.push_back(at_end ? rest : burst);
  steps.push_back(at_end ? burst : rest);
}

Flow flow_of(std::span<const FlowPoint> points, InBursts in_bursts) {
  Flow flow;
  flow.queued = double(points[0].head - points[0].tail);
  flow.all_ns = double(points.back().at_ns - points[0].at_ns);
  for (size_t i = 1; i < points.size(); ++i) {
    const FlowPoint &before = points[i - 1], &now = points[i];
    const double ns = double(now.at_ns - before.at_ns);
    const uint32_t had = before.head - before.tail, has = now.head - now.tail;
    const auto step = [&](uint32_t slots, uint64_t blocked_ns) {
      return Step{double(slots), ns - double(blocked_ns)};
    };
    add_step(flow.writer, step(now.head - before.head, now.writer_ns - before.writer_ns), ns,
             in_bursts.writer, has >= had);
    add_step(flow.reader, step(now.tail - before.tail, now.reader_ns - before.reader_ns), ns,
             in_bursts.reader, has <= had);
  }
  flow.rate = double(points.back().tail - points[0].tail) / flow.all_ns;
  return flow;
}

// As a fluid: whoever finds the ring full, or empty, goes on as fast as the other side lets it.
double replayed_rate(const Flow& flow, double slots) {
  Replayed writer(flow.writer), reader(flow.reader);
  double queued = std::min(flow.queued, slots), moved = 0, counted_ns = 0;
  for (double all_ns = 0; counted_ns < kReplays * flow.all_ns;) {
    const double in = writer.rate(), out = reader.rate();
    const double writes = queued >= slots && in > out ? out / in : 1;
    const double reads = queued <= 0 && out > in ? in / out : 1;
    const double net = in * writes - out * reads;
    double ns = std::min(writer.left_ns(writes), reader.left_ns(reads));
    const double to_edge = net > 0 ? slots - queued : net < 0 ? -queued : 0;
    const bool hits = to_edge != 0 && to_edge / net < ns;
    if (hits) ns = to_edge / net;
    if (!std::isfinite(ns)) return 0;
    queued = hits ? (net > 0 ? slots : 0) : std::clamp(queued + net * ns, 0.0, slots);
    all_ns += ns;
    if (all_ns > flow.all_ns) moved += out * reads * ns, counted_ns += ns;
    writer.go_on(ns, writes);
    reader.go_on(ns, reads);
  }
  return moved / counted_ns;
}

// The steps whose replay is closest to what was measured.
Flow closest_flow(std::span<const FlowPoint> points, double slots) {
  Flow best;
  double least = HUGE_VAL;
  for (const InBursts in_bursts : {InBursts{}, {true, false}, {false, true}, {true, true}}) {
    Flow flow = flow_of(points, in_bursts);
    const double error = std::abs(replayed_rate(flow, slots) - flow.rate);
    if (error < least) best = std::move(flow), least = error;
  }
  return best;
}

// A ring has a whole number of them.
double slots_of(uint64_t bytes) {
  const uint64_t slots = bytes / kPage_bytes;
  return double(slots);
}

}  // namespace

std::optional<LargerRing> larger_ring(std::span<const FlowPoint> points, uint64_t capacity) {
  if (points.size() < kLeastSamples || capacity < kPage_bytes ||
      points.back().at_ns - points[0].at_ns < kLeastWindow_ns)
    return {};
  if (points.back().tail == points[0].tail) return {};
  const Flow flow = closest_flow(points, slots_of(capacity));
  const auto replayed = [&](uint64_t bytes) { return replayed_rate(flow, slots_of(bytes)); };
  const double now = replayed(capacity);
  if (flow.writer.empty() || std::abs(now / flow.rate - 1) > kReplayError) return {};
  std::vector<LargerRing> rings;
  for (uint64_t more = 2 * capacity; more <= kLargePipe; more *= 2)
    rings.push_back({more, replayed(more) / now - 1});
  if (rings.empty()) return {};
  const double best = std::ranges::max(rings, {}, &LargerRing::gain).gain;
  if (best < kGain) return {};
  return *std::ranges::find_if(
      rings, [&](const LargerRing& ring) { return ring.gain >= kNearlyBest * best; });
}

}  // namespace pipetop

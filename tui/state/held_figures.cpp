#include "tui/state/held_figures.h"

namespace pipetop::tui {
namespace {

void copy_figures(const Snapshot& from, Snapshot& to) {
  to.throughput.over_100ms = from.throughput.over_100ms;
  to.throughput.over_1s = from.throughput.over_1s;
  to.throughput.over_10s = from.throughput.over_10s;
  to.throughput.current.rate = from.throughput.current.rate;
  to.throughput.total_items = from.throughput.total_items;
  to.throughput.current.duration_ns = from.throughput.current.duration_ns;
  to.workers = from.workers;
  to.parts = from.parts;
  to.figures = from.figures;
  to.ring.occupancy = from.ring.occupancy;
  to.ring.kinds = from.ring.kinds;
  to.integrity = from.integrity;
  to.verdict = from.verdict;
  to.change = from.change;
  to.event = from.event;
  to.steal_share = from.steal_share;
}

}  // namespace

HeldFigures::Occasion HeldFigures::occasion_of(const Snapshot& s) {
  Occasion o{s.throughput.current.number,
             s.effective.settled,
             {s.throughput.over_1s.status, s.throughput.current.rate.status, s.change.status,
              s.verdict.status, s.integrity.status, s.worker(Role::writer).functions.status},
             {},
             s.parts.size()};
  for (size_t i = 0; i < kRoles; ++i) o.states[i] = s.workers[i].state;
  return o;
}

void HeldFigures::hold(Snapshot& now, uint64_t for_ns) {
  const Occasion occasion = occasion_of(now);
  const bool due =
      at_ns_ == 0 || occasion != occasion_ || now.now_ns >= at_ns_ + for_ns || now.now_ns < at_ns_;
  if (!due) return copy_figures(held_, now);
  copy_figures(now, held_);
  occasion_ = occasion;
  at_ns_ = now.now_ns;
}

}  // namespace pipetop::tui

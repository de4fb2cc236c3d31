#include "tui/state/held_figures.h"

namespace pipetop::tui {
namespace {

// Copies each figure from one to the other; the direction is the caller's.
template <class Figures, class Shot, class Copy>
void copy_figures(Figures& held, Shot& s, Copy copy) {
  copy(held.over_100ms, s.throughput.over_100ms);
  copy(held.over_1s, s.throughput.over_1s);
  copy(held.over_10s, s.throughput.over_10s);
  copy(held.segment, s.throughput.current.rate);
  copy(held.total_items, s.throughput.total_items);
  copy(held.segment_ns, s.throughput.current.duration_ns);
  copy(held.workers, s.workers);
  copy(held.parts, s.parts);
  copy(held.figures, s.figures);
  copy(held.occupancy, s.ring.occupancy);
  copy(held.kinds, s.ring.kinds);
  copy(held.integrity, s.integrity);
  copy(held.verdict, s.verdict);
  copy(held.change, s.change);
  copy(held.event, s.event);
  copy(held.steal_share, s.steal_share);
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
  if (due) {
    copy_figures(held_, now, [](auto& to, const auto& from) { to = from; });
    occasion_ = occasion;
    at_ns_ = now.now_ns;
  } else {
    copy_figures(held_, now, [](const auto& from, auto& to) { to = from; });
  }
}

}  // namespace pipetop::tui

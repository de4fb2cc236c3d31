#include "tui/widgets/held_figures.h"

#include <algorithm>
#include <utility>

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
  to.interventions = from.interventions;
  std::vector<Pipe> live;
  if (to.watched) live = std::move(to.watched->pipes);
  to.watched = from.watched;
  for (size_t i = 0; to.watched && i < std::min(live.size(), to.watched->pipes.size()); ++i) {
    Pipe& pipe = to.watched->pipes[i];
    pipe.frame = std::move(live[i].frame);
    pipe.rates = std::move(live[i].rates);
    pipe.fill = std::move(live[i].fill);
  }
}

template <class T>
uint64_t status_of(const Reading<T>& reading) {
  return static_cast<uint64_t>(reading.status);
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
  add_watched(o, s);
  return o;
}

void HeldFigures::add_watched(Occasion& o, const Snapshot& s) {
  for (const Intervention& change : s.interventions)
    o.watched.push_back(change.after_bytes_per_s.has_value());
  o.watched.push_back(s.counts_bytes);
  if (!s.watched) return;
  const Verdict& verdict = s.watched->verdict;
  o.watched.push_back(static_cast<uint64_t>(verdict.kind));
  o.watched.push_back(verdict.stage ? static_cast<uint64_t>(verdict.stage->pid) : 0);
  for (const Stage& stage : s.watched->stages) {
    o.stages.push_back(stage.id);
    o.watched.insert(o.watched.end(), {status_of(stage.shares), status_of(stage.functions),
                                       static_cast<uint64_t>(stage.gone),
                                       static_cast<uint64_t>(stage.nice), stage.cpus.size()});
  }
  for (const Pipe& pipe : s.watched->pipes) {
    o.pipes.push_back(pipe.id);
    o.watched.insert(o.watched.end(), {status_of(pipe.level), status_of(pipe.bytes_per_s),
                                       static_cast<uint64_t>(pipe.exact), pipe.capacity.value_or(0),
                                       pipe.writers.size(), pipe.readers.size()});
  }
}

void HeldFigures::hold(Snapshot& now, uint64_t for_ns) {
  Occasion occasion = occasion_of(now);
  const bool due =
      at_ns_ == 0 || occasion != occasion_ || now.now_ns >= at_ns_ + for_ns || now.now_ns < at_ns_;
  if (!due) return copy_figures(held_, now);
  copy_figures(now, held_);
  occasion_ = std::move(occasion);
  at_ns_ = now.now_ns;
}

}  // namespace pipetop::tui

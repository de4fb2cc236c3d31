#include "engine/experiment/ladder_doubts.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/host/host.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// The first one decides, as in every judgement: it explains the others.
void add(LadderReport& report, Exit exit, std::string words) {
  if (report.exit == Exit::ok) report.exit = exit;
  report.doubts.push_back(std::move(words));
}

std::string place(const LadderReport& report, size_t rung, uint32_t round) {
  return fmt::format("{}, round {}", report.preset(rung).name, round);
}

void doubt_workers(LadderReport& report, const LadderRun& run) {
  for (const WorkerView& after : run.trial.end.workers) {
    const uint32_t deaths = after.restarts - run.trial.begin.worker(after.role).restarts;
    if (deaths == 0 && after.state != ProcessState::restarting) continue;
    add(report, Exit::worker_failed,
        fmt::format("the {} died while it was measured ({})", to_text(after.role),
                    place(report, run.rung, run.round)));
  }
}

uint64_t damaged(const Snapshot& s) {
  if (!s.integrity.has_value()) return 0;
  return s.integrity->misplaced + s.integrity->torn + s.integrity->unstamped;
}

// A single buffer is asked for to be damaged.
void doubt_pages(LadderReport& report, const LadderRun& run) {
  const uint64_t before = damaged(run.trial.begin), after = damaged(run.trial.end);
  if (after <= before || run.trial.settings.pipe.buffers == Buffers::single) return;
  add(report, Exit::untrustworthy,
      fmt::format("{} pages arrived damaged ({})", after - before,
                  place(report, run.rung, run.round)));
}

void doubt_steal(LadderReport& report) {
  if (!report.steal.has_value() || report.steal->above == 0) return;
  const LadderSteal& steal = *report.steal;
  add(report, Exit::untrustworthy,
      fmt::format("the host stole more than {:.0f} % of the time in {} of {} runs, {:.1f} % in the "
                  "worst ({})",
                  100 * kMuchSteal, steal.above, steal.runs, 100 * steal.most,
                  place(report, steal.rung, steal.round)));
}

void doubt_drift(LadderReport& report) {
  if (!report.drift.has_value()) return;
  const RoundPace& pace = report.drift->farthest;
  if (pace.ratio <= kMuchDrift && pace.ratio >= 1 / kMuchDrift) return;
  add(report, Exit::untrustworthy,
      fmt::format("the machine drifted: round {} ran at {:.2f} of the median round, which is more "
                  "than a factor of {}",
                  pace.round, pace.ratio, kMuchDrift));
}

}  // namespace

void add_doubts(LadderReport& report) {
  for (const LadderRun& run : report.ladder.runs) doubt_workers(report, run);
  for (const LadderRun& run : report.ladder.runs) doubt_pages(report, run);
  doubt_steal(report);
  doubt_drift(report);
}

}  // namespace pipetop

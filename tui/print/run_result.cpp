#include <fmt/core.h>

#include <algorithm>

#include "engine/host/host.h"
#include "engine/registry/terms.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

constexpr double kMuchLost = 0.01;

void assess_worker(const WorkerView& worker, Assessment& assessment) {
  const std::string& role = worker.name;
  const std::string why = worker.state_reason.empty() ? "" : ": " + worker.state_reason;
  if (worker.restarts > 0)
    assessment.warn(Exit::worker_failed, fmt::format("the {} died and was restarted {}{}", role,
                                                     counted(worker.restarts, "time"), why));
  else if (worker.state == ProcessState::failed || worker.state == ProcessState::restarting)
    assessment.warn(Exit::worker_failed, fmt::format("the {} failed{}", role, why));
  else if (worker.state == ProcessState::refused)
    assessment.warn(Exit::refused, fmt::format("the {} could not get what it needs{}", role, why));
}

// With a single buffer damage is expected; and after a restart nobody knows what
// the dead worker left behind.
void assess_pages(const RunResult& result, Assessment& assessment) {
  const Snapshot& last = result.last;
  const bool asked = last.effective.settings.pipe.buffers == Buffers::single;
  const bool restarted =
      std::ranges::any_of(last.workers, [](const WorkerView& w) { return w.restarts > 0; });
  if (!last.integrity.has_value() || asked || restarted) return;
  const Integrity& found = *last.integrity;
  if (found.misplaced + found.torn + found.unstamped == 0) return;
  assessment.warn(Exit::untrustworthy,
                  fmt::format("pages arrived damaged: {} misplaced, {} torn, {} unstamped of {}",
                              found.misplaced, found.torn, found.unstamped,
                              found.verified + found.misplaced + found.torn + found.unstamped));
}

void assess_huge(const RunResult& result, Assessment& assessment) {
  const Settings& wanted = result.end.requested;
  if (!wanted.pipe.check_huge_page || wanted.pipe.pages == Pages::k4) return;
  const Reading<bool>& huge = result.end.effective.pipe.huge;
  if (!huge.has_value())
    assessment.warn(Exit::refused, "check_huge_page: unknown: " + huge.reason);
  else if (!*huge)
    assessment.warn(Exit::refused,
                    "check_huge_page: the buffers are not in huge pages (see pipetop doctor)");
}

void assess_lost(const RunResult& result, Role role, Assessment& assessment) {
  const Reading<FunctionTable>& functions = result.segment.role(role).functions;
  if (!functions.has_value()) return;
  const uint64_t lost = functions->lost, all = lost + functions->samples;
  if (double(lost) > kMuchLost * double(all))
    assessment.warn(
        Exit::untrustworthy,
        fmt::format("{} of {} samples of the {} were lost: its function shares are unreliable",
                    lost, all, result.end.worker(role).name));
}

}  // namespace

Assessment assess(const RunResult& result) {
  Assessment assessment;
  for (const WorkerView& worker : result.end.workers) assess_worker(worker, assessment);
  assess_pages(result, assessment);
  assess_huge(result, assessment);
  assessment.warn_of_steal(result.steal_share, "the rate is unreliable");
  for (const Role role : roles_of(result.end.requested)) assess_lost(result, role, assessment);
  return assessment;
}

}  // namespace pipetop::tui

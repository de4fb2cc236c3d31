#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, kSlotKinds> kKindWords = {
    "empty", "copies", "user pages", "page cache", "zero pages", "other"};
constexpr std::array<const char*, 4> kZeroCopyWords = {"zero copy", "copied", "unverifiable", ""};
constexpr size_t kFunctionRows = 10;
constexpr int kFunctionsWidth = 48;

std::string rate_lines(const RunResult& r) {
  const Unit& unit = unit_of(r.end.requested);
  const Reading<RateStats>& rate = r.end.throughput.current.rate;
  std::string text = fmt::format("  {} {}", rate_text(r.rate()), unit.rate);
  if (rate.has_value())
    text += fmt::format(" ± {}   median {}, {} to {} in {} intervals of 100 ms",
                        plus_minus_text(*rate), rate_text(rate->median), rate_text(rate->min),
                        rate_text(rate->max), rate->samples);
  else
    text += fmt::format("   (median and spread unknown: {})", rate.reason);
  return text + fmt::format("\n  {} in {}\n", items_text(double(r.items()), unit.items),
                            seconds_text(r.duration_ns(), 2));
}

std::string effective_lines(const Snapshot& s) {
  const Effective& effective = s.effective;
  std::string text = "effective ";
  if (effective.pipe.zero_copy != ZeroCopy::no_copy)
    text += fmt::format("{}, ", kZeroCopyWords[static_cast<size_t>(effective.pipe.zero_copy)]);
  for (const Role role : roles_of(s.requested)) {
    const WorkerReadings& w = s.worker(role);
    text += fmt::format("{}{} {}", role == Role::writer ? "" : "; ", w.name,
                        fmt::join(w.technique, ", "));
    if (w.last_cpu.has_value()) text += fmt::format(" on CPU {}", *w.last_cpu);
  }
  text += "\n";
  for (const Mismatch& m : effective.mismatches) text += fmt::format("  {}\n", mismatch_text(m));
  return text;
}

std::string kinds_text(const Reading<std::array<double, kSlotKinds>>& kinds) {
  std::string text;
  if (!kinds.has_value()) return text;
  for (size_t i = 1; i < kSlotKinds; ++i)
    if ((*kinds)[i] >= 0.005)
      text += fmt::format("; {} {:.0f} %", kKindWords[i], 100 * (*kinds)[i]);
  return text;
}

std::string ring_line(const RingReadings& ring) {
  std::string text =
      fmt::format("ring      {} slots, {}", ring.slots, bytes_text(double(ring.bytes)));
  if (ring.occupancy.has_value())
    text += fmt::format("; {:.0f} % used, empty {:.0f} %, full {:.0f} % of {} samples ({})",
                        100 * ring.occupancy->mean_share, 100 * ring.occupancy->empty_share,
                        100 * ring.occupancy->full_share, ring.occupancy->samples,
                        ring.occupancy->source);
  else
    text += "; occupancy unknown: " + ring.occupancy.reason;
  return text + kinds_text(ring.kinds) + "\n";
}

std::string worker_line(const RunResult& r, Role role) {
  const WorkerCounts counts = r.end.worker(role).counts - r.begin.worker(role).counts;
  const double calls = double(counts.syscalls);
  const auto per_second = [&](uint64_t count) {
    return count_text(double(count) / std::max(1e-9, double(r.duration_ns()) / 1e9));
  };
  std::string text =
      fmt::format("{:<9} {} calls/s", r.end.worker(role).name, per_second(counts.all_calls()));
  if (counts.polls > 0) text += fmt::format(", {} of them polls", per_second(counts.polls));
  if (counts.syscalls > 0)
    text +=
        fmt::format(", {} per call, EAGAIN {:.1f} %, short {:.1f} %",
                    items_text(double(counts.items) / calls, unit_of(r.end.requested).items),
                    100 * double(counts.eagain) / calls, 100 * double(counts.short_calls) / calls);
  const TimeShares& shares = r.segment.role(role).shares;
  if (shares.on_cpu.has_value())
    text += fmt::format(", on CPU {}{:.0f} %, runnable {:.0f} %, blocked {:.0f} %",
                        r.end.worker(role).overstates_cpu() ? "at most " : "", 100 * *shares.on_cpu,
                        100 * *shares.runnable, 100 * *shares.blocked);
  return text + "\n";
}

std::string verdict_line(const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) return fmt::format("verdict   none: {}\n", verdict.reason);
  const std::string advice =
      verdict->advice.empty() ? "" : fmt::format("advice    {}\n", verdict->advice);
  return fmt::format("verdict   {}: {}\n{}", name_of(verdict->kind), verdict->because, advice);
}

std::string integrity_line(const Snapshot& s) {
  if (!s.integrity.has_value() || s.requested.pipe.payload != Payload::stamped) return {};
  const Integrity& i = *s.integrity;
  return fmt::format("integrity {} pages verified, {} misplaced, {} torn, {} unstamped\n",
                     i.verified, i.misplaced, i.torn, i.unstamped);
}

// A single part is covered by the rest.
std::string parts_lines(const Snapshot& s) {
  std::string text;
  if (s.parts.size() < 2) return text;
  for (const PartReadings& part : s.parts)
    text += fmt::format("{:<9} {}\n", part.name,
                        part.rate.has_value()
                            ? fmt::format("{} {}", rate_text(*part.rate), unit_of(s.requested).rate)
                            : part.rate.reason);
  return text;
}

std::string figure_lines(const Snapshot& s) {
  std::string text;
  for (const Figure& figure : s.figures)
    text += fmt::format("{}: {}\n", figure.name,
                        figure.value.has_value() ? figure_text(figure.kind, *figure.value)
                                                 : "unknown: " + figure.value.reason);
  return text;
}

// "write_very_lo~": the start of a name is usually easier to recognise.
std::string cut(std::string_view name) {
  constexpr size_t kNameWidth = kFunctionsWidth - 16;
  if (name.size() <= kNameWidth) return std::string(name);
  return std::string(name.substr(0, kNameWidth - 1)) + "~";
}

// A heading and the first functions.
std::vector<std::string> functions_lines(const RunResult& r, Role role) {
  const std::string& name = r.end.worker(role).name;
  if (name.empty()) return {};
  const Reading<FunctionTable>& functions = r.segment.role(role).functions;
  if (!functions.has_value()) return {fmt::format("  {}: {}", name, functions.reason)};
  const FunctionTable& table = *functions;
  std::string heading =
      fmt::format("  {}: {} samples, ±{:.1f}", name, table.samples, 100 * table.share_error());
  if (table.lost > 0) heading += fmt::format(", {} lost", table.lost);
  std::vector<std::string> lines = {heading, "   self  child  function"};
  for (const FunctionRow& row : table.rows()) {
    if (lines.size() == kFunctionRows + 2) break;
    lines.push_back(fmt::format("  {:>5.1f}  {:>5.1f}  {}", 100 * table.share(row.self_samples),
                                100 * table.share(row.children_samples), cut(row.name)));
  }
  return lines;
}

std::string between_ticks_text(const RunResult& r) {
  const Reading<double>& rate = r.end.event->between_ticks;
  if (!rate.has_value()) return {};
  return fmt::format(" ({} {} between ticks)", rate_text(*rate), unit_of(r.end.requested).rate);
}

std::string functions_block(const RunResult& r) {
  const Reading<SamplingEvent>& event = r.end.event;
  if (!event.has_value()) return fmt::format("functions unknown: {}\n", event.reason);
  auto left = functions_lines(r, Role::writer);
  auto right = functions_lines(r, Role::reader);
  left.resize(std::max(left.size(), right.size()));
  right.resize(left.size());
  TextTable side_by_side({{"", '<', kFunctionsWidth, kFunctionsWidth}, {""}});
  for (size_t i = 0; i < left.size(); ++i) side_by_side.add({left[i], right[i]});
  return fmt::format("functions by {} at {}{}{}\n", event->name, event->rate(), event->cost(),
                     between_ticks_text(r)) +
         side_by_side.text();
}

// ---- warnings ---------------------------------------------------------------

constexpr double kMuchLost = 0.01;

void assess_worker(const WorkerReadings& worker, Assessment& assessment) {
  if (worker.restarts > 0)
    assessment.warn(Exit::worker_failed,
                    fmt::format("the {} died and was restarted {}{}{}", worker.name,
                                counted(worker.restarts, "time"),
                                worker.state_reason.empty() ? "" : ": ", worker.state_reason));
  else if (worker.state == ProcessState::failed || worker.state == ProcessState::restarting)
    assessment.warn(Exit::worker_failed, failure_text(worker));
  else if (worker.state == ProcessState::refused)
    assessment.warn(Exit::refused, failure_text(worker));
}

// With a single buffer damage is expected; and after a restart nobody knows what
// the dead worker left behind.
void assess_pages(const RunResult& result, Assessment& assessment) {
  const Snapshot& last = result.last;
  const bool asked = last.effective.settings.pipe.buffers == Buffers::single;
  const bool restarted =
      std::ranges::any_of(last.workers, [](const WorkerReadings& w) { return w.restarts > 0; });
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
    assessment.warn(Exit::refused, kNotHuge);
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

std::string run_text(const RunResult& result) {
  const Snapshot& s = result.end;
  std::string text = fmt::format("{}: {}\n", result.name, changed_knobs(s.requested)) +
                     rate_lines(result) + effective_lines(s);
  if (terms_of(s.requested).has_ring) text += ring_line(s.ring) + verdict_line(verdict_of(result));
  for (const Role role : roles_of(s.requested)) text += worker_line(result, role);
  return text + parts_lines(s) + figure_lines(s) + integrity_line(result.last) +
         functions_block(result);
}

Reading<Verdict> verdict_of(const RunResult& result) {
  Reading<Verdict> verdict = result.end.verdict;
  if (verdict.status == ReadingStatus::warming) verdict.reason += "; run longer";
  return verdict;
}

Assessment assess(const RunResult& result) {
  Assessment assessment;
  for (const WorkerReadings& worker : result.end.workers) assess_worker(worker, assessment);
  assess_pages(result, assessment);
  assess_huge(result, assessment);
  assessment.warn_of_steal(result.steal_share, "the rate is unreliable");
  if (const std::string noise = result.noise(false); !noise.empty())
    assessment.warn(Exit::ok, "disturbed: " + noise);
  for (const Role role : roles_of(result.end.requested)) assess_lost(result, role, assessment);
  return assessment;
}

}  // namespace pipetop::tui

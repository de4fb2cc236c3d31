#include "tui/print/print_human.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/base/text.h"
#include "engine/registry/terms.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/pipe/verdict.h"
#include "tui/draw/numbers.h"
#include "tui/print/changed_knobs.h"
#include "tui/print/function_columns.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, kSlotKinds> kKindNames = {
    "empty", "copies", "user pages", "page cache", "zero pages", "other"};
constexpr std::array<const char*, 4> kZeroCopyWords = {"zero copy", "copied", "unverifiable", ""};
constexpr size_t kFunctionRows = 10;

double seconds(uint64_t ns) { return double(ns) / 1e9; }

// "532 k", "1.2 M": three digits are enough to compare by.
std::string short_number(double value) {
  if (value >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.3g} k", value / 1e3);
  return fmt::format("{:.3g}", value);
}

// "12.34 GiB", "120000 rules".
std::string count_text(uint64_t count, const Unit& unit) {
  if (unit.items != "bytes") return fmt::format("{} {}", count, unit.items);
  return fmt::format("{:.2f} GiB", double(count) / kGiB);
}

std::string rate_lines(const RunResult& r) {
  const Unit& unit = unit_of(r.end.requested);
  const Reading<RateStats>& rate = r.end.throughput.current.rate;
  std::string text = fmt::format("  {:.2f} {}", r.rate(), unit.rate);
  if (rate.has_value())
    text += fmt::format(" ± {:.2f}   median {:.2f}, {:.2f} to {:.2f} in {} parts of 100 ms",
                        rate->stddev, rate->median, rate->min, rate->max, rate->samples);
  else
    text += fmt::format("   (median and spread unknown: {})", rate.reason);
  return text +
         fmt::format("\n  {} in {:.2f} s\n", count_text(r.bytes(), unit), seconds(r.duration_ns()));
}

std::string effective_lines(const Snapshot& s) {
  const Effective& effective = s.effective;
  std::string text = "effective ";
  if (effective.pipe.zero_copy != ZeroCopy::no_copy)
    text += fmt::format("{}, ", kZeroCopyWords[static_cast<size_t>(effective.pipe.zero_copy)]);
  for (const Role role : roles_of(s.requested)) {
    const WorkerView& w = s.worker(role);
    text += fmt::format("{}{} {}", role == Role::writer ? "" : "; ", w.name,
                        fmt::join(w.technique, ", "));
    if (w.last_cpu.has_value()) text += fmt::format(" on CPU {}", *w.last_cpu);
  }
  text += "\n";
  for (const Mismatch& m : effective.mismatches)
    text += fmt::format("  {}: {} requested, {} effective: {}\n", m.knob, m.requested, m.effective,
                        m.reason);
  return text;
}

std::string kinds_text(const Reading<std::array<double, kSlotKinds>>& kinds) {
  std::string text;
  if (!kinds.has_value()) return text;
  for (size_t i = 1; i < kSlotKinds; ++i)
    if ((*kinds)[i] >= 0.005)
      text += fmt::format("; {} {:.0f} %", kKindNames[i], 100 * (*kinds)[i]);
  return text;
}

std::string ring_line(const RingView& ring) {
  std::string text = fmt::format("ring      {} slots, {}", ring.slots, format_size(ring.bytes));
  if (ring.occupancy.has_value())
    text += fmt::format("; {:.0f} % used, empty {:.0f} %, full {:.0f} % of {} looks ({})",
                        100 * ring.occupancy->mean_share, 100 * ring.occupancy->empty_share,
                        100 * ring.occupancy->full_share, ring.occupancy->samples,
                        ring.occupancy->source);
  else
    text += "; occupancy unknown: " + ring.occupancy.reason;
  return text + kinds_text(ring.kinds) + "\n";
}

std::string per_call_text(double count, const Unit& unit) {
  if (unit.items == "bytes") return fmt::format("{:.4g} KiB", count / 1024);
  return fmt::format("{:.4g} {}", count, unit.items);
}

std::string worker_line(const RunResult& r, Role role) {
  const WorkerCounts counts = r.end.worker(role).counts - r.begin.worker(role).counts;
  const double calls = double(counts.syscalls);
  std::string text = fmt::format("{:<9} {} calls/s", r.end.worker(role).name,
                                 short_number(calls / std::max(1e-9, seconds(r.duration_ns()))));
  if (counts.syscalls > 0)
    text +=
        fmt::format(", {} a call, EAGAIN {:.1f} %, short {:.1f} %",
                    per_call_text(double(counts.items) / calls, unit_of(r.end.requested)),
                    100 * double(counts.eagain) / calls, 100 * double(counts.short_calls) / calls);
  const TimeShares& shares = r.shares[static_cast<size_t>(role)];
  if (shares.on_cpu.has_value()) text += fmt::format(", on CPU {:.0f} %", 100 * *shares.on_cpu);
  if (shares.blocked.has_value()) text += fmt::format(", blocked {:.0f} %", 100 * *shares.blocked);
  return text + "\n";
}

std::string verdict_line(const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) return fmt::format("verdict   none: {}\n", verdict.reason);
  return fmt::format("verdict   {}: {}\n", to_text(verdict->bound), verdict->because);
}

std::string integrity_line(const Snapshot& s) {
  if (!s.integrity.has_value() || s.requested.pipe.payload != Payload::stamped) return {};
  const Integrity& i = *s.integrity;
  return fmt::format("integrity {} pages verified, {} misplaced, {} torn, {} unstamped\n",
                     i.verified, i.misplaced, i.torn, i.unstamped);
}

// Of one alone the rest tells already.
std::string parts_lines(const Snapshot& s) {
  std::string text;
  if (s.parts.size() < 2) return text;
  for (const PartView& part : s.parts)
    text += fmt::format("{:<9} {}\n", part.name,
                        part.rate.has_value()
                            ? fmt::format("{:.2f} {}", *part.rate, unit_of(s.requested).rate)
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

std::string functions_block(const Snapshot& s) {
  if (!s.event.has_value()) return fmt::format("functions unknown: {}\n", s.event.reason);
  return fmt::format("functions by {} at {} Hz\n", s.event->name, s.event->hz) +
         side_by_side(function_column(s.worker(Role::writer), kFunctionRows),
                      has_role(s.requested, Role::reader)
                          ? function_column(s.worker(Role::reader), kFunctionRows)
                          : Lines{});
}

}  // namespace

std::string print_human(const Interval& interval) {
  return fmt::format("{:>6.1f} s  {:>8.2f} {}\n", seconds(interval.since_start_ns), interval.rate(),
                     unit_of(interval.settings).rate);
}

std::string print_human(const RunResult& result) {
  const Snapshot& s = result.end;
  std::string text = fmt::format("{}: {}\n", result.name, changed_knobs(s.requested)) +
                     rate_lines(result) + effective_lines(s);
  if (terms_of(s.requested).has_ring) text += ring_line(s.ring) + verdict_line(s.verdict);
  for (const Role role : roles_of(s.requested)) text += worker_line(result, role);
  return text + parts_lines(s) + figure_lines(s) + integrity_line(result.last) + functions_block(s);
}

}  // namespace pipetop::tui

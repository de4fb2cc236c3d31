#include "tui/print/print_human.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/knobs.h"
#include "engine/text.h"
#include "engine/verdict.h"
#include "tui/print/changed_knobs.h"
#include "tui/print/function_columns.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, kSlotKinds> kKindNames = {
    "empty", "copies", "user pages", "page cache", "zero pages", "other"};
constexpr std::array<const char*, 3> kZeroCopyNames = {"zero copy", "copied", "unverifiable"};
constexpr size_t kFunctionRows = 10;

double seconds(uint64_t ns) { return double(ns) / 1e9; }

// "532 k", "1.2 M": three digits are enough to compare by.
std::string short_number(double value) {
  if (value >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.3g} k", value / 1e3);
  return fmt::format("{:.3g}", value);
}

std::string rate_lines(const RunResult& r) {
  const double mean = gib_per_s(r.bytes(), r.duration_ns());
  const Reading<RateStats>& rate = r.end.throughput.current.rate;
  std::string text = fmt::format("  {:.2f} GiB/s", mean);
  if (rate.has_value())
    text += fmt::format(" ± {:.2f}   median {:.2f}, {:.2f} to {:.2f} in {} parts of 100 ms",
                        rate->stddev, rate->median, rate->min, rate->max, rate->samples);
  else
    text += fmt::format("   (median and spread unknown: {})", rate.reason);
  return text + fmt::format("\n  {:.2f} GiB in {:.2f} s\n", double(r.bytes()) / kGiB,
                            seconds(r.duration_ns()));
}

std::string cpu_text(const WorkerView& worker) {
  return worker.last_cpu.has_value() ? std::to_string(*worker.last_cpu) : "?";
}

std::string huge_text(const Effective& effective) {
  if (effective.settings.pages == Pages::k4) return "4 KiB pages";
  if (!effective.huge.has_value()) return "huge pages unknown: " + effective.huge.reason;
  return *effective.huge ? "huge pages" : "huge pages not granted";
}

std::string effective_lines(const Snapshot& s) {
  const Effective& effective = s.effective;
  std::string text =
      fmt::format("effective {}, {}, CPU {} to CPU {}\n",
                  kZeroCopyNames[static_cast<size_t>(effective.zero_copy)], huge_text(effective),
                  cpu_text(s.worker(Role::writer)), cpu_text(s.worker(Role::reader)));
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

std::string worker_line(const RunResult& r, Role role) {
  const WorkerCounts counts = counts_between(r.begin.worker(role), r.end.worker(role));
  const double calls = double(counts.syscalls);
  std::string text = fmt::format("{:<9} {} calls/s", to_text(role),
                                 short_number(calls / std::max(1e-9, seconds(r.duration_ns()))));
  if (counts.syscalls > 0)
    text += fmt::format(", {:.4g} KiB a call, EAGAIN {:.1f} %, short {:.1f} %",
                        double(counts.bytes) / calls / 1024, 100 * double(counts.eagain) / calls,
                        100 * double(counts.short_calls) / calls);
  const WorkerShares& shares = r.shares[static_cast<size_t>(role)];
  if (shares.on_cpu.has_value()) text += fmt::format(", on CPU {:.0f} %", 100 * *shares.on_cpu);
  if (shares.blocked.has_value()) text += fmt::format(", blocked {:.0f} %", 100 * *shares.blocked);
  return text + "\n";
}

std::string verdict_line(const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) return fmt::format("verdict   none: {}\n", verdict.reason);
  return fmt::format("verdict   {}: {}\n", to_text(verdict->bound), verdict->because);
}

std::string integrity_line(const Snapshot& s) {
  if (!s.integrity.has_value() || s.requested.payload != Payload::stamped) return {};
  const Integrity& i = *s.integrity;
  return fmt::format("integrity {} pages verified, {} misplaced, {} torn, {} unstamped\n",
                     i.verified, i.misplaced, i.torn, i.unstamped);
}

std::string functions_block(const Snapshot& s) {
  if (!s.event.has_value()) return fmt::format("functions unknown: {}\n", s.event.reason);
  return fmt::format("functions by {} at {} Hz\n", s.event->name, s.event->hz) +
         side_by_side(function_column(s.worker(Role::writer), kFunctionRows),
                      function_column(s.worker(Role::reader), kFunctionRows));
}

}  // namespace

std::string print_human(const Interval& interval) {
  return fmt::format("{:>6.1f} s  {:>8.2f} GiB/s\n", seconds(interval.since_start_ns),
                     gib_per_s(interval.bytes(), interval.duration_ns));
}

std::string print_human(const RunResult& result) {
  const Snapshot& s = result.end;
  return fmt::format("{}: {}\n", result.name, changed_knobs(s.requested)) + rate_lines(result) +
         effective_lines(s) + ring_line(s.ring) + verdict_line(s.verdict) +
         worker_line(result, Role::writer) + worker_line(result, Role::reader) +
         integrity_line(result.last) + functions_block(s);
}

}  // namespace pipetop::tui

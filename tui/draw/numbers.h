// What the screen shows of readings and of what a workload counts.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/numbers.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "tui/draw/text.h"

namespace pipetop::tui {

std::string figure_text(FigureKind kind, double value);  // "96.3 %", "412 B", "×1.28"

// Half of the 95 % interval of the mean, in units of which `per_unit` are one; "?" if unknown.
std::string plus_minus_text(const RateStats& rate, double per_unit = 1);

// "…" while warming, "n/a" if unavailable. Never 0 for an unknown value.
template <class T, class Format>
std::string text_of(const Reading<T>& reading, Format format) {
  if (reading.has_value()) return format(*reading);
  return reading.status == ReadingStatus::unavailable ? "n/a" : "…";
}

// Shows whether a rate against the one before is a gain, a loss, or neither.
inline Style factor_style(double factor) {
  return factor >= 1.02 ? Style::good : factor <= 0.98 ? Style::warning : Style::value;
}

// Neither, while the rates do not differ by more than the noise.
inline Style factor_style(const Change& change) {
  return change.is_seen() ? factor_style(change.factor) : Style::value;
}

// Dim if stale or unknown.
template <class T>
Style value_style(const Reading<T>& reading) {
  const bool stale = reading.status == ReadingStatus::stale;
  return stale || !reading.has_value() ? Style::dim : Style::value;
}

template <class T, class Format>
Item item_of(const Reading<T>& reading, std::string before, std::string after, Format format) {
  return {std::move(before), text_of(reading, format), std::move(after), value_style(reading)};
}

// Whether the flow is throttled (slow motion).
enum class Pace : uint8_t { normal, slow_motion };

// From the change that requests it until the change that ends it takes effect.
inline Pace pace_of(const Snapshot& s) {
  const bool slow = s.requested.pipe.slow_motion || s.effective.settings.pipe.slow_motion;
  return slow ? Pace::slow_motion : Pace::normal;
}

// Whether the reader gets wrong pages; of few pages also of those before the last second.
inline bool is_damaged(const Snapshot& s) {
  return s.integrity.has_value() && s.integrity->damages();
}
std::string damage_text(double wrong_share);  // "54 % of pages wrong"

struct RateUnit {
  double per_unit = 1;    // this many are one unit of the workload
  std::string_view name;  // "GiB/s", "pages/s"
};

// The workload's own, or a smaller one for a rate of less than a tenth of it: MiB/s, rules/s. Pages
// if a rate in slow motion would be 0.00 GiB/s.
RateUnit rate_unit(double rate, Pace pace, const Unit& unit);

std::string rate_with_unit(double rate, const Unit& unit);  // "3.1 MiB/s"

// Of their digits: "×2.3".
std::string gain_text(double after, double before, const Unit& unit);

// "0.76" beside others in `shown`; with its own unit where that would be 0.00: "3.1 MiB/s".
std::string rate_beside(double rate, const RateUnit& shown, Pace pace, const Unit& unit);

// Draws why there is no value of `what`, wrapped: the reason, then the remedy
// (after the first ";") on a new line. Returns the lines used.
int draw_absence(const Area& area, std::string_view what, ReadingStatus status,
                 std::string_view reason);

}  // namespace pipetop::tui

// Numbers as shown on the screen: short, and of constant width.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "tui/draw/text.h"

namespace pipetop::tui {

std::string rate_text(double rate);              // "3.71", "62.5", "128"
std::string percent_text(double share);          // "39.1", "100"
std::string whole_percent_text(double share);    // "39 %", "<1 %"
std::string count_text(double count);            // "17", "1.3 k", "532 k", "1.20 M"
std::string grouped_text(uint64_t count);        // "2,983"
std::string bytes_text(double bytes);            // "128 KiB", "1.5 MiB"
std::string short_bytes_text(double bytes);      // "128K", "1.5M"
std::string byte_rate_text(double bytes_per_s);  // "1.23 GiB/s", "12.3 KiB/s"
// Of what a workload counts: "128 KiB", "1.20 M rules".
std::string items_text(double count, std::string_view items);
std::string elapsed_text(uint64_t ns);  // "00:01:12"
std::string age_text(uint64_t ns);      // "12s", "3m", "5h", "12d"
std::string ratio_text(double ratio);   // "×4.7"
// Of two rates as rate_text() shows them, so that the three agree.
std::string ratio_of_shown(double now, double before);
std::string change_text(double shares);                  // in points: "+12.0", "-0.3", "0.0"
std::string figure_text(FigureKind kind, double value);  // "96.3 %", "412 B", "×1.28"

// "…" while warming, "n/a" if unavailable. Never 0 for an unknown value.
template <class T, class Format>
std::string text_of(const Reading<T>& reading, Format format) {
  if (reading.has_value()) return format(*reading);
  return reading.status == ReadingStatus::unavailable ? "n/a" : "…";
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

// Pages if a rate in slow motion would be 0.00 GiB/s.
inline RateUnit rate_unit(double rate, Pace pace, const Unit& unit) {
  const bool pages = pace == Pace::slow_motion && rate < 0.005;
  if (pages) return {unit.count / static_cast<double>(kPageBytes), "pages/s"};
  return {1, unit.rate};
}

// Draws why there is no value of `what`, wrapped: the reason, then the remedy
// (after the first ";") on a new line. Returns the lines used.
int draw_absence(const Area& area, std::string_view what, ReadingStatus status,
                 std::string_view reason);

}  // namespace pipetop::tui

#include "tui/draw/numbers.h"

#include <fmt/core.h>

#include <array>
#include <span>

namespace pipetop::tui {

RateUnit rate_unit(double rate, Pace pace, const Unit& unit) {
  static constexpr std::array<RateUnit, 3> kBytes = {
      {{1024, "MiB/s"}, {1024 * 1024, "KiB/s"}, {1024.0 * 1024 * 1024, "B/s"}}};
  static constexpr std::array<RateUnit, 1> kRules = {{{1000, "rules/s"}}};
  if (pace == Pace::slow_motion && rate < 0.005)
    return {unit.count / static_cast<double>(kPageBytes), "pages/s"};
  RateUnit shown{1, unit.rate};
  for (const RateUnit& smaller : unit.items == "bytes" ? std::span<const RateUnit>(kBytes) : kRules)
    if (rate > 0 && rate * shown.per_unit < 0.0995) shown = smaller;
  return shown;
}

std::string rate_with_unit(double rate, const Unit& unit) {
  const RateUnit shown = rate_unit(rate, Pace::normal, unit);
  return fmt::format("{} {}", rate_text(rate * shown.per_unit), shown.name);
}

std::string gain_text(double after, double before, const Unit& unit) {
  const double per_unit = rate_unit(after, Pace::normal, unit).per_unit;
  return ratio_of_shown(after * per_unit, before * per_unit);
}

std::string rate_beside(double rate, const RateUnit& shown, Pace pace, const Unit& unit) {
  if (rate * shown.per_unit >= 0.005 || rate <= 0) return rate_text(rate * shown.per_unit);
  const RateUnit own = rate_unit(rate, pace, unit);
  return fmt::format("{} {}", rate_text(rate * own.per_unit), own.name);
}

std::string damage_text(double wrong_share) {
  return whole_percent_text(wrong_share) + " of pages wrong";
}

std::string plus_minus_text(const RateStats& rate, double per_unit) {
  return rate.plus_minus ? rate_text(*rate.plus_minus * per_unit) : "?";
}

std::string figure_text(FigureKind kind, double value) {
  switch (kind) {
    case FigureKind::share:
      return percent_text(value) + " %";
    case FigureKind::bytes:
      return bytes_text(value);
    case FigureKind::ratio:
      return ratio_text(value);
    case FigureKind::count:
      break;
  }
  return count_text(value);
}

int draw_absence(const Area& area, std::string_view what, ReadingStatus status,
                 std::string_view reason) {
  if (status == ReadingStatus::warming)
    return wrap(area, fmt::format("{}: {} …", what, reason.empty() ? "warming" : reason),
                Style::dim);
  const std::string_view why = why_of(reason);
  const int used = wrap(area, fmt::format("{} unavailable: {}", what, why), Style::warning);
  if (why.size() == reason.size()) return used;
  return used + wrap(area.from_row(used), reason.substr(why.size() + 2), Style::value);
}

}  // namespace pipetop::tui

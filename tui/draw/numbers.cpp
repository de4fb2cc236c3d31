#include "tui/draw/numbers.h"

#include <fmt/core.h>

namespace pipetop::tui {

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

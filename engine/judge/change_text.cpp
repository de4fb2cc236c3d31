#include "engine/judge/change_text.h"

#include <fmt/format.h>

namespace pipetop {

std::string percent_number(double share) {
  const double percent = 100 * share;
  return percent < 0.05 || percent > 99.95 ? fmt::format("{:.0f}", percent)
                                           : fmt::format("{:.1f}", percent);
}

std::string count_number(double count) {
  if (count >= 9950) return fmt::format("{:.0f}k", count / 1e3);
  if (count >= 995) return fmt::format("{:.1f}k", count / 1e3);
  return fmt::format("{:.{}f}", count, count > 0.05 && count < 0.95 ? 1 : 0);
}

std::string bytes_text(double before, double after) {
  constexpr double kKib = 1024, kMib = 1024 * kKib;
  const auto unit = [](double bytes) -> std::string_view {
    return bytes >= 1000 * kKib ? "MiB" : "KiB";
  };
  const auto number = [](double bytes) { return bytes / (bytes >= 1000 * kKib ? kMib : kKib); };
  const bool same = unit(before) == unit(after);
  return fmt::format("{:.3g}{}{} → {:.3g} {}", number(before), same ? "" : " ",
                     same ? "" : unit(before), number(after), unit(after));
}

}  // namespace pipetop

#include "engine/base/numbers.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace pipetop {
namespace {

// Converts to the first of the units, each `step` times the one before, in which the value is less
// than `limit`. Returns the unit's index.
size_t convert(double& value, double step, double limit, size_t units) {
  size_t unit = 0;
  for (; value >= limit && unit + 1 < units; ++unit) value /= step;
  return unit;
}

// Three significant digits, but no digits of the integer part are cut.
int decimals_of(double rate) { return rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0; }

double as_shown(double rate) {
  const double power = std::pow(10, decimals_of(rate));
  return std::round(rate * power) / power;
}

}  // namespace

std::string rate_text(double rate) { return fmt::format("{:.{}f}", rate, decimals_of(rate)); }

std::string percent_text(double share) {
  const double percent = share * 100;
  return percent < 99.95 ? fmt::format("{:.1f}", percent) : fmt::format("{:.0f}", percent);
}

std::string whole_percent_text(double share) {
  if (share > 0 && share < 0.005) return "<1 %";
  return fmt::format("{:.0f} %", share * 100);
}

std::string count_text(double count) {
  constexpr std::array kUnits = {"", " k", " M", " G", " T"};
  if (count < 10 && count != std::floor(count)) return fmt::format("{:.1f}", count);
  const size_t unit = convert(count, 1000, 999.5, kUnits.size());
  return unit == 0 ? fmt::format("{:.0f}", count) : rate_text(count) + kUnits[unit];
}

std::string grouped_text(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t end = text.size(); end > 3;) {
    end -= 3;
    text.insert(end, 1, ',');
  }
  return text;
}

std::string bytes_text(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  const size_t unit = convert(bytes, 1024, 1023.5, kUnits.size());
  const bool whole = std::abs(bytes - std::round(bytes)) < 0.05 || bytes >= 99.95;
  return fmt::format("{:.{}f} {}", bytes, whole ? 0 : 1, kUnits[unit]);
}

std::string short_bytes_text(double bytes) {
  constexpr std::array kUnits = {"", "K", "M", "G", "T"};
  const size_t unit = convert(bytes, 1024, 1023.5, kUnits.size());
  const bool whole = std::abs(bytes - std::round(bytes)) < 0.05 || bytes >= 9.95;
  return fmt::format("{:.{}f}{}", bytes, whole ? 0 : 1, kUnits[unit]);
}

std::string byte_rate_text(double bytes_per_s) {
  constexpr std::array kUnits = {"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"};
  const size_t unit = convert(bytes_per_s, 1024, 999.5, kUnits.size());
  const int decimals = unit == 0 ? 0 : decimals_of(bytes_per_s);
  return fmt::format("{:.{}f} {}", bytes_per_s, decimals, kUnits[unit]);
}

std::string items_text(double count, std::string_view items) {
  if (items == "bytes") return bytes_text(count);
  return fmt::format("{} {}", count_text(count), items);
}

std::string elapsed_text(uint64_t ns) {
  const uint64_t seconds = ns / 1'000'000'000;
  return fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string age_text(uint64_t ns) {
  const uint64_t seconds = ns / 1'000'000'000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 60 * 60) return fmt::format("{}m", seconds / 60);
  if (seconds < 24 * 60 * 60) return fmt::format("{}h", seconds / 60 / 60);
  return fmt::format("{}d", seconds / 60 / 60 / 24);
}

std::string ratio_text(double ratio) {
  const int digits = ratio < 1.95 ? 2 : ratio < 9.95 ? 1 : 0;
  return fmt::format("×{:.{}f}", ratio, digits);
}

std::string ratio_of_shown(double now, double before) {
  const double shown = as_shown(before);
  return ratio_text(shown > 0 ? as_shown(now) / shown : now / before);
}

std::string change_text(double shares) {
  const double tenths = std::round(shares * 1000);
  if (tenths == 0) return "0.0";
  return fmt::format("{:+.{}f}", tenths / 10, std::abs(tenths) < 999.5 ? 1 : 0);
}

std::string seconds_text(uint64_t ns, int decimals) {
  return fmt::format("{:.{}f} s", double(ns) / 1e9, decimals);
}

std::string counted(uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace pipetop

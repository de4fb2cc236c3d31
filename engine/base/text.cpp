#include "engine/base/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "engine/base/error.h"

namespace pipetop {
namespace {

struct TextUnit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array kSizeUnits = {TextUnit{"", 1},           TextUnit{"B", 1},
                                   TextUnit{"K", 1ull << 10}, TextUnit{"KiB", 1ull << 10},
                                   TextUnit{"M", 1ull << 20}, TextUnit{"MiB", 1ull << 20},
                                   TextUnit{"G", 1ull << 30}, TextUnit{"GiB", 1ull << 30},
                                   TextUnit{"T", 1ull << 40}, TextUnit{"TiB", 1ull << 40}};

constexpr std::array kDurationUnits = {TextUnit{"ns", 1},
                                       TextUnit{"us", 1'000},
                                       TextUnit{"ms", 1'000'000},
                                       TextUnit{"", 1'000'000'000},
                                       TextUnit{"s", 1'000'000'000},
                                       TextUnit{"min", 60'000'000'000},
                                       TextUnit{"m", 60'000'000'000},
                                       TextUnit{"h", 3'600'000'000'000}};

constexpr size_t kMaxLineBytes = 500;

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

struct Measure {
  double value;  // in the smallest unit
  uint64_t factor;

  // Part of a larger unit is rounded; of the smallest there is none.
  bool can_be_whole() const { return factor > 1 || value == std::floor(value); }
  uint64_t whole() const { return uint64_t(std::round(value)); }
};

// A number and a unit, optionally with one space between.
std::optional<Measure> parse_with_unit(std::string_view text, std::span<const TextUnit> units) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || number < 0) return {};
  std::string_view unit_text(end, text.data() + text.size());
  if (unit_text.starts_with(' ')) unit_text.remove_prefix(1);
  const auto unit = std::ranges::find_if(
      units, [&](const TextUnit& u) { return same_ignoring_case(u.name, unit_text); });
  if (unit == units.end()) return {};
  const Measure measure = {number * double(unit->factor), unit->factor};
  return measure.value < 9.2e18 ? std::optional(measure) : std::nullopt;
}

// In the largest unit that divides evenly; of equal units the last wins, so "KiB" is
// preferred to "K".
std::string format_with_unit(uint64_t value, std::span<const TextUnit> units) {
  const TextUnit* best = &units.front();
  for (const TextUnit& unit : units)
    if (unit.factor >= best->factor && !unit.name.empty() && value % unit.factor == 0) best = &unit;
  return fmt::format("{}{}", value / best->factor, best->name);
}

}  // namespace

uint64_t parse_size(std::string_view text) {
  const auto bytes = parse_with_unit(text, kSizeUnits);
  if (!bytes)
    throw Error(
        fmt::format("\"{}\" is not a size: give bytes such as 4096, 256K, 256KiB or 1GiB", text));
  if (!bytes->can_be_whole())
    throw Error(fmt::format("\"{}\" is part of a byte: give whole ones, or a unit such as {:g}K",
                            text, bytes->value));
  return bytes->whole();
}

std::optional<double> parse_bytes(std::string_view text) {
  const auto bytes = parse_with_unit(text, kSizeUnits);
  return bytes ? std::optional(bytes->value) : std::nullopt;
}

std::string format_size(uint64_t bytes) {
  return bytes == 0 ? "0B" : format_with_unit(bytes, kSizeUnits);
}

uint64_t parse_duration_ns(std::string_view text) {
  const auto ns = parse_with_unit(text, kDurationUnits);
  if (ns && ns->can_be_whole()) return ns->whole();
  throw Error(fmt::format("\"{}\" is not a duration: give a time such as 500ms, 5s or 2m", text));
}

std::string format_duration(uint64_t ns) {
  return ns == 0 ? "0s" : format_with_unit(ns, kDurationUnits);
}

std::optional<std::string_view> nearest(std::string_view text,
                                        std::span<const std::string_view> candidates) {
  // Damerau-Levenshtein, restricted to adjacent swaps: finds typos.
  const auto distance = [](std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      for (size_t j = 1; j <= b.size(); ++j) {
        const size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + differs});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
    return d[a.size()][b.size()];
  };
  if (text.size() > 64) return {};  // too different for a typo
  std::optional<std::string_view> best;
  size_t best_distance = std::max<size_t>(2, text.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const size_t d = distance(text, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string join_choices(std::span<const std::string_view> choices) {
  if (choices.size() < 2) return fmt::format("{}", fmt::join(choices, ""));
  return fmt::format("{} or {}", fmt::join(choices.first(choices.size() - 1), ", "),
                     choices.back());
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

namespace {

// `kept`: a control that it may have.
std::string cleaned(std::string_view text, size_t most_bytes, std::optional<char32_t> kept = {}) {
  std::string clean;
  bool takes_mark = false;  // one, and only on what was written
  while (!text.empty()) {
    const bool valid = utf8_length(text) > 0;
    const std::string_view before = text;
    const char32_t c = take_code_point(text);
    const std::string_view character = before.substr(0, before.size() - text.size());
    if (clean.size() + (valid ? character.size() : 0) > most_bytes) return clean + "...";
    const bool mark = is_combining(c);
    const bool bad =
        !valid || is_invisible(c) || (is_control(c) && c != kept) || (mark && !takes_mark);
    clean += bad ? std::string_view("?") : character;
    takes_mark = !bad && !mark;
  }
  return clean;
}

}  // namespace

std::string one_line(std::string_view text) { return cleaned(text, kMaxLineBytes); }

std::string printable(std::string_view text) { return cleaned(text, text.npos, U'\n'); }

namespace {

bool needs_quotes(std::string_view word) {
  return word.empty() || word.find_first_of(" \t\n\"'$&|;<>()*?[]{}~#!`\\") != word.npos;
}

std::string in_quotes(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string command_text(std::span<const std::string> words) {
  if (words.size() == 1) return one_line(words[0]);
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += needs_quotes(word) ? in_quotes(word) : word;
  }
  return one_line(line);
}

}  // namespace pipetop

#include "engine/base/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
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

// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: the letters after them run the other
// way.
bool changes_direction(std::string_view character) {
  if (character == "\xd8\x9c") return true;
  if (character.size() != 3 || uint8_t(character[0]) != 0xe2) return false;
  const auto middle = uint8_t(character[1]), last = uint8_t(character[2]);
  if (middle == 0x80) return last == 0x8e || last == 0x8f || (last >= 0xaa && last <= 0xae);
  return middle == 0x81 && last >= 0xa6 && last <= 0xa9;
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// A number and a unit, optionally with one space between.
std::optional<uint64_t> parse_with_unit(std::string_view text, std::span<const TextUnit> units) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || number < 0) return {};
  std::string_view unit_text(end, text.data() + text.size());
  if (unit_text.starts_with(' ')) unit_text.remove_prefix(1);
  const auto unit = std::ranges::find_if(
      units, [&](const TextUnit& u) { return same_ignoring_case(u.name, unit_text); });
  if (unit == units.end()) return {};
  const double value = number * double(unit->factor);
  if (value >= 9.2e18 || value != std::floor(value)) return {};
  return uint64_t(value);
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
  if (const auto bytes = parse_with_unit(text, kSizeUnits)) return *bytes;
  throw Error(
      fmt::format("\"{}\" is not a size: give bytes such as 4096, 256K, 256KiB or 1GiB", text));
}

std::string format_size(uint64_t bytes) {
  return bytes == 0 ? "0B" : format_with_unit(bytes, kSizeUnits);
}

uint64_t parse_duration_ns(std::string_view text) {
  if (const auto ns = parse_with_unit(text, kDurationUnits)) return *ns;
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

size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : uint8_t(0); };
  const auto follows = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const uint8_t low = lead == 0xe0 ? 0xa0 : 0x80, high = lead == 0xed ? 0x9f : 0xbf;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const uint8_t low = lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool is_control(std::string_view character) {
  const auto lead = uint8_t(character[0]);
  if (character.size() == 1) return lead < 0x20 || lead == 0x7f;
  return lead == 0xc2 && uint8_t(character[1]) < 0xa0;
}

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (line.size() + length > kMaxLineBytes) return line + "...";
    const bool bad = length == 0 || is_control(character) || changes_direction(character);
    line += bad ? std::string_view("?") : character;
    text.remove_prefix(character.size());
  }
  return line;
}

namespace {

bool needs_quotes(std::string_view word) {
  return word.empty() || word.find_first_of(" \t\n\"'$&|;<>()*?[]{}~#!`\\") != word.npos;
}

std::string quoted(std::string_view word) {
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
    line += needs_quotes(word) ? quoted(word) : word;
  }
  return one_line(line);
}

}  // namespace pipetop

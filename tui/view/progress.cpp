#include "tui/view/progress.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr int kLeastBar = 6;         // "[===>]" and more
constexpr int kWorthBar = 10;        // with less, a remark has to go
constexpr uint64_t kStepsOfBar = 3;  // columns per tick, as something that moves

// The share of the expected bytes; never all of them before the last one has come.
std::optional<uint64_t> percent(const Progress& p) {
  if (!p.size || *p.size == 0) return {};
  return uint64_t(std::floor(100.0 * (double(p.bytes) / double(*p.size))));
}

std::string repeated(char c, int count) { return std::string(size_t(std::max(count, 0)), c); }

std::string known_bar(uint64_t percent, int inner) {
  const int filled = int(std::min<uint64_t>(percent, 100)) * inner / 100;
  if (filled == 0) return repeated(' ', inner);
  return repeated('=', filled - 1) + '>' + repeated(' ', inner - filled);
}

// "<=>" goes to and fro.
std::string unknown_bar(uint64_t tick, int inner) {
  constexpr std::string_view kMark = "<=>";
  const auto way = uint64_t(std::max(inner - int(kMark.size()), 1));
  const uint64_t at = tick * kStepsOfBar % (2 * way);
  const int before = int(at < way ? at : 2 * way - at);
  return repeated(' ', before) + std::string(kMark) +
         repeated(' ', inner - before - int(kMark.size()));
}

std::string bar(const Progress& p, int cols, uint64_t tick) {
  const auto share = percent(p);
  const int inner = cols - 2;
  return fmt::format("[{}]", share ? known_bar(*share, inner) : unknown_bar(tick, inner));
}

ProgressParts shown_parts(const Progress& p) {
  constexpr ProgressParts kUsual{
      .bar = true, .timer = true, .eta = true, .rate = true, .bytes = true};
  return p.parts == ProgressParts{} ? kUsual : p.parts;
}

std::string rate_field(const std::optional<double>& rate) {
  return fmt::format("[{:>9}]", rate ? short_bytes(*rate) + "/s" : "---");
}

std::string eta_field(const Progress& p) {
  return "ETA " + (p.remaining_ns ? clock_text(*p.remaining_ns) : "-:--:--");
}

int width(const std::vector<std::string>& parts) {
  int cols = parts.empty() ? 0 : int(parts.size()) - 1;
  for (const std::string& part : parts) cols += columns_of(part);
  return cols;
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, " "));
}

bool has_remark(const Progress& p) { return !p.remark.empty() && p.parts == ProgressParts{}; }

// How much of it is shown: the next level has less.
enum class Level : uint8_t { all, no_remark, no_bar, no_eta, no_rate, least };

struct Line {
  std::vector<std::string> before_bar, after_bar;

  int room(int cols) const {
    const int gaps = int(!before_bar.empty()) + int(!after_bar.empty());
    return cols - width(before_bar) - width(after_bar) - gaps;
  }
};

Line parts_of(const Progress& p, Level level) {
  const ProgressParts parts = shown_parts(p);
  Line line;
  if (!p.name.empty() && level < Level::least) line.before_bar.push_back(one_line(p.name) + ":");
  if (parts.bytes) line.before_bar.push_back(fmt::format("{:>7}", short_bytes(double(p.bytes))));
  if (parts.timer && level < Level::least) line.before_bar.push_back(clock_text(p.elapsed_ns));
  if (parts.rate && level < Level::no_rate) line.before_bar.push_back(rate_field(p.rate));
  if (parts.average && level < Level::no_rate) line.before_bar.push_back(rate_field(p.average));
  if (const auto share = percent(p); share && parts.bar)
    line.after_bar.push_back(fmt::format("{:3}%", *share));
  if (parts.eta && p.size && !p.ended && level < Level::no_eta)
    line.after_bar.push_back(eta_field(p));
  if (has_remark(p) && level == Level::all) line.after_bar.push_back(" " + one_line(p.remark));
  return line;
}

std::string without_bar(const Line& line) {
  std::vector<std::string> parts = line.before_bar;
  parts.insert(parts.end(), line.after_bar.begin(), line.after_bar.end());
  return joined(parts);
}

}  // namespace

std::string progress_line(const Progress& progress, int cols, uint64_t tick) {
  for (const Level level : {Level::all, Level::no_remark}) {
    if (!shown_parts(progress).bar) break;
    const Line line = parts_of(progress, level);
    const int room = line.room(cols);
    if (room < (level == Level::all && has_remark(progress) ? kWorthBar : kLeastBar)) continue;
    std::vector<std::string> parts = line.before_bar;
    parts.push_back(bar(progress, room, tick));
    parts.insert(parts.end(), line.after_bar.begin(), line.after_bar.end());
    return joined(parts);
  }
  for (const Level level : {Level::no_bar, Level::no_eta, Level::no_rate}) {
    std::string line = without_bar(parts_of(progress, level));
    if (columns_of(line) <= cols) return line;
  }
  return std::string(beginning(without_bar(parts_of(progress, Level::least)), cols));
}

std::string progress_number(const Progress& progress) {
  const auto share = progress.parts.bytes ? std::nullopt : percent(progress);
  std::string number = std::to_string(share.value_or(progress.bytes));
  if (!progress.parts.timer) return number;
  return fmt::format("{:.4f} {}", double(progress.elapsed_ns) / double(kSecond), number);
}

std::string short_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f}B", bytes) : rate_text(bytes) + kUnits[unit];
}

std::string clock_text(uint64_t ns) {
  const uint64_t seconds = ns / kSecond, hours = seconds / 3600;
  const std::string rest = fmt::format("{:02}:{:02}", seconds / 60 % 60, seconds % 60);
  return hours < 24 ? fmt::format("{}:{}", hours, rest)
                    : fmt::format("{}:{:02}:{}", hours / 24, hours % 24, rest);
}

}  // namespace pipetop::tui

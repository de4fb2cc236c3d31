#include "tui/print/print_ladder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tui/draw/text_width.h"
#include "tui/print/ladder_words.h"

namespace pipetop::tui {
namespace {

constexpr int kBarCells = 24;
constexpr int kMostTitleColumns = 48;

std::string padded(std::string_view text, int columns) {
  const std::string_view fitting = beginning(text, columns);
  return std::string(fitting) + std::string(size_t(columns - columns_of(fitting)), ' ');
}

int title_columns(const LadderReport& report) {
  int columns = 0;
  for (const Preset& preset : report.ladder.options.rungs)
    columns = std::max(columns, columns_of(preset.title));
  return std::min(columns, kMostTitleColumns);
}

double highest_median(const LadderReport& report) {
  double highest = 0;
  for (const LadderRung& rung : report.rungs)
    if (rung.gib_per_s.has_value()) highest = std::max(highest, rung.gib_per_s->median);
  return highest;
}

std::string bar(double share, const Glyphs& glyphs) {
  std::string text;
  const long eighths = std::lround(share * kBarCells * 8);
  for (long i = 0; i < eighths / 8; ++i) append_utf8(text, glyphs.filling[8]);
  if (eighths % 8 != 0) append_utf8(text, glyphs.filling[size_t(eighths % 8)]);
  return text;
}

std::string article_text(const Preset& preset) {
  return preset.article_gib_per_s > 0 ? fmt::format("{:.1f}", preset.article_gib_per_s) : "-";
}

std::string rung_line(const LadderReport& report, size_t i, int columns, const Glyphs& glyphs) {
  const LadderRung& rung = report.rungs[i];
  const Preset& preset = report.preset(i);
  const std::string title = padded(preset.title, columns);
  if (!rung.gib_per_s.has_value()) return fmt::format("{}  {}\n", title, rung.gib_per_s.reason);
  const Spread& rate = *rung.gib_per_s;
  const std::string times =
      rung.times_first.has_value() ? fmt::format("{:.2f}", rung.times_first->median) : "?";
  const double highest = highest_median(report);
  return fmt::format("{}  {:>7.2f}  {:>7.2f} .. {:<7.2f}  {:>11}  {:>7}  {}\n", title, rate.median,
                     rate.lower, rate.upper, times, article_text(preset),
                     highest > 0 ? bar(rate.median / highest, glyphs) : "");
}

std::string table(const LadderReport& report, const Glyphs& glyphs) {
  const int columns = std::max(4, title_columns(report));
  std::string text = fmt::format("{}  {:>7}  {:^18}  {:>11}  {:>7}\n", padded("rung", columns),
                                 "GiB/s", "middle half", "times first", "article");
  for (size_t i = 0; i < report.rungs.size(); ++i) text += rung_line(report, i, columns, glyphs);
  return text;
}

// The name stands before the first line only.
std::string lines(const std::string& name, const std::vector<std::string>& words,
                  const std::string& otherwise) {
  if (words.empty()) return otherwise.empty() ? "" : fmt::format("{:<11}{}\n", name, otherwise);
  std::string text;
  for (const std::string& line : words)
    text += fmt::format("{:<11}{}\n", text.empty() ? name : "", line);
  return text;
}

std::vector<std::string> falls(const LadderReport& report) {
  std::vector<std::string> words;
  for (const LadderFall& fall : report.falls) words.push_back("no: " + fall.words);
  return words;
}

std::string without_falls(const Reading<bool>& monotone) {
  return monotone.has_value() ? "yes" : "unknown: " + monotone.reason;
}

std::vector<std::string> trust_words(const LadderReport& report) {
  std::vector<std::string> words;
  for (const std::string& warning : report.warnings) words.push_back("no: " + warning);
  return words;
}

}  // namespace

std::string print_ladder_human(const LadderResult& result, GlyphSet set) {
  const LadderReport& report = result.report;
  std::string text = fmt::format("{}\n{}\n", method_words(result), machine_words(result));
  for (const std::string& words : {knobs_words(result), early_words(result)})
    if (!words.empty()) text += words + "\n";
  return text + "\n" + table(report, glyphs_of(set)) + "\n" +
         lines("monotone", falls(report), without_falls(report.monotone)) +
         lines("drift", {drift_words(report)}, "") + lines("steal", {steal_words(report)}, "") +
         lines("not so", mismatch_words(report), "") +
         lines("to trust", trust_words(report), "yes");
}

}  // namespace pipetop::tui

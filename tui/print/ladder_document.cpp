#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "tui/draw/text.h"
#include "tui/print/document.h"
#include "tui/print/ladder_result.h"
#include "tui/print/run_result.h"
#include "tui/print/text_table.h"

namespace pipetop::tui {
namespace {

constexpr int kBarCells = 24;
constexpr int kMostTitleColumns = 48;

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

std::string rungs_text(const LadderReport& report, const Glyphs& glyphs) {
  TextTable table({{"rung", '<', 4, kMostTitleColumns},
                   {"GiB/s", '>', 7},
                   {"middle half", '^', 18},
                   {"vs first", '>', 11},
                   {"article", '>', 7},
                   {""}});
  const double highest = highest_median(report);
  for (size_t i = 0; i < report.rungs.size(); ++i) {
    const LadderRung& rung = report.rungs[i];
    const Preset& preset = report.preset(i);
    if (!rung.gib_per_s.has_value()) {
      table.add({preset.title, rung.gib_per_s.reason});
      continue;
    }
    const Spread& rate = *rung.gib_per_s;
    table.add({preset.title, fmt::format("{:.2f}", rate.median),
               fmt::format("{:>7.2f} .. {:<7.2f}", rate.lower, rate.upper),
               rung.times_first.has_value() ? fmt::format("{:.2f}", rung.times_first->median) : "?",
               preset.article_gib_per_s > 0 ? fmt::format("{:.1f}", preset.article_gib_per_s) : "-",
               highest > 0 ? bar(rate.median / highest, glyphs) : ""});
  }
  return table.text();
}

std::string drift_text(const LadderReport& report) {
  if (!report.drift.has_value()) return "unknown: " + report.drift.reason;
  const RoundPace& pace = report.drift->farthest;
  return fmt::format("at most {:+.1f} % (round {} relative to the median round)",
                     100 * (pace.ratio - 1), pace.round);
}

std::string steal_text(const LadderReport& report) {
  if (!report.steal.has_value()) return "unknown: " + report.steal.reason;
  const LadderSteal& steal = *report.steal;
  std::string text = fmt::format("{:.1f} % of the time", 100 * steal.mean);
  if (steal.most > 0)
    text += fmt::format(", {:.1f} % in the worst run ({}, round {})", 100 * steal.most,
                        report.preset(steal.rung).name, steal.round);
  return text;
}

std::string conclusions_text(const LadderResult& result) {
  const LadderReport& report = result.report;
  TextTable table({{"", '<', 9}, {""}});
  // The name is only on the first line.
  const auto add = [&](std::string name, const auto& list, auto text_of) {
    for (const auto& one : list) table.add({std::exchange(name, ""), text_of(one)});
  };
  add("monotone", report.falls, [](const LadderFall& fall) { return "no: " + fall.text; });
  if (report.falls.empty())
    table.add(
        {"monotone", report.monotone.has_value() ? "yes" : "unknown: " + report.monotone.reason});
  table.add({"drift", drift_text(report)});
  table.add({"steal", steal_text(report)});
  add("mismatch", result.mismatches(), std::identity{});
  add("trusted", report.warnings, [](const std::string& warning) { return "no: " + warning; });
  if (report.warnings.empty()) table.add({"trusted", "yes"});
  return table.text();
}

std::string ladder_text(const LadderResult& result, const Glyphs& glyphs) {
  std::string text = fmt::format("{}\n{}\n", result.method(), result.machine());
  for (const std::string& line : result.conditions()) text += line + "\n";
  return text + "\n" + rungs_text(result.report, glyphs) + "\n" + conclusions_text(result);
}

}  // namespace

Document ladder_document(const LadderResult& result, GlyphSet glyphs) {
  Document document{"ladder", ladder_json(result), ladder_text(result, glyphs_of(glyphs))};
  for (const LadderRun& run : result.report.ladder.runs) {
    Document one = run_document(
        run_result(result.report.preset(run.rung).name, run.trial, result.options().length.bytes));
    one.rows.front()["round"] = run.round;
    document.columns = std::move(one.columns);
    document.rows.push_back(std::move(one.rows.front()));
  }
  document.columns.push_back({"round", "/round"});
  return document;
}

}  // namespace pipetop::tui

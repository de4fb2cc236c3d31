#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/host/host.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/draw/text.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

// The role during one run, as far as known without observers.
Json role_json(const Trial& trial, Role role) {
  const WorkerReadings &before = trial.begin.worker(role), &after = trial.end.worker(role);
  Json json;
  put(json, "cpu", after.last_cpu);
  put_shares(json, trial.segment.role(role).shares);  // of all of it; `after` has the last second's
  put_times_source(json, after);
  json["syscalls"] = after.counts.syscalls - before.counts.syscalls;
  json["eagain"] = after.counts.eagain - before.counts.eagain;
  json["polls"] = after.counts.polls - before.counts.polls;
  put_difference(json, "context_switches", before, after, &WorkerReadings::context_switches);
  return json;
}

Json rung_run_json(const LadderRun& run, size_t place) {
  const Trial& trial = run.trial;
  Json json = {{"round", run.round},
               {"place", place},
               {"gib_per_s", rounded(trial.rate())},
               {"bytes", trial.items()},
               {"duration_ns", trial.duration_ns()}};
  put(json, "steal_share", trial.steal_share);
  json["noise"] = noise_json(trial);
  json["pipe_size"] = trial.end.effective.pipe.bytes;
  for (const Role role : {Role::writer, Role::reader})
    json[std::string(to_text(role))] = role_json(trial, role);
  return json;
}

Json rung_runs_json(const Ladder& ladder, size_t rung) {
  Json json = Json::array();
  for (size_t i = 0; i < ladder.runs.size(); ++i)
    if (ladder.runs[i].rung == rung) json.push_back(rung_run_json(ladder.runs[i], i + 1));
  return json;
}

Json rung_json(const LadderReport& report, size_t i) {
  const Preset& preset = report.preset(i);
  const LadderRung& rung = report.rungs[i];
  Json json = {{"name", preset.name}, {"title", preset.title}};
  put(json, "gib_per_s", rung.rate, whole_spread_json);
  put(json, "times_first", rung.times_first,
      [&](const Spread& spread) { return ratios_json(spread, rung.over_first); });
  put_article(json, preset);
  json["requested"] = knobs_json(preset.settings);
  json["mismatches"] = mismatches_json(rung.mismatches);
  json["runs"] = rung_runs_json(report.ladder, i);
  return json;
}

Json drift_json(const LadderDrift& drift) {
  const auto pace_json = [](const RoundPace& pace) {
    return Json{{"round", pace.round}, {"ratio", rounded(pace.ratio)}};
  };
  return {{"largest", pace_json(drift.farthest)},
          {"limit_ratio", kMuchDrift},
          {"rounds", list_json(drift.rounds, pace_json)}};
}

Json steal_json(const LadderReport& report) {
  const LadderSteal& steal = *report.steal;
  return {{"share", rounded(steal.mean)},
          {"largest_share", rounded(steal.most)},
          {"largest_rung", report.preset(steal.rung).name},
          {"largest_round", steal.round},
          {"limit_share", kMuchSteal},
          {"runs", steal.runs},
          {"runs_above_limit", steal.above}};
}

Json falls_json(const LadderReport& report) {
  return list_json(report.falls, [&](const LadderFall& fall) -> Json {
    return {{"rung", report.preset(fall.rung).name},
            {"below", report.preset(fall.rung - 1).name},
            {"ratio", ratios_json(fall.ratio, fall.interval)},
            {"words", fall.text}};
  });
}

Reading<double> mean_steal(const LadderReport& report) {
  return report.steal.has_value() ? Reading<double>::of(report.steal->mean)
                                  : Reading<double>::warming(report.steal.reason);
}

void put_length(Json& json, const TrialLength& length) {
  json["warmup_ns"] = length.warmup_ns;
  const bool by_bytes = length.bytes != 0;
  put_if(!by_bytes, json, "run_duration_ns", length.duration_ns, "until run_bytes were read");
  put_if(by_bytes, json, "run_bytes", length.bytes, "for run_duration_ns");
}

constexpr int kBarCells = 24;
constexpr int kMostTitleColumns = 48;

double highest_median(const LadderReport& report) {
  double highest = 0;
  for (const LadderRung& rung : report.rungs)
    if (rung.rate.has_value()) highest = std::max(highest, rung.rate->median);
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
                   {"vs first", '>', 21},
                   {"article", '>', 7},
                   {""}});
  const double highest = highest_median(report);
  for (size_t i = 0; i < report.rungs.size(); ++i) {
    const LadderRung& rung = report.rungs[i];
    const Preset& preset = report.preset(i);
    if (!rung.rate.has_value()) {
      table.add({preset.title, rung.rate.reason});
      continue;
    }
    const Spread& rate = *rung.rate;
    table.add({preset.title, rate_text(rate.median),
               fmt::format("{:>7} .. {:<7}", rate_text(rate.lower), rate_text(rate.upper)),
               rung.times_first.has_value() ? factor_text(rung.over_first) : "?",
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

std::string conclusions_text(const LadderReport& report) {
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
  if (!report.noise.empty()) table.add({"noise", report.noise});
  add("mismatch", mismatches_of(report), std::identity{});
  add("trusted", report.warnings, [](const std::string& warning) { return "no: " + warning; });
  if (report.warnings.empty()) table.add({"trusted", "yes"});
  return table.text();
}

std::string ladder_text(const LadderReport& report, const Glyphs& glyphs) {
  std::string text = fmt::format("{}\n{}\n", method_of(report), machine_of(report));
  for (const std::string& line : conditions_of(report)) text += line + "\n";
  return text + "\n" + rungs_text(report, glyphs) + "\n" + conclusions_text(report);
}

// Null if nothing was measured.
const HostInfo* host_of(const LadderReport& report) {
  const auto& runs = report.ladder.runs;
  return runs.empty() ? nullptr : runs.back().trial.end.host.get();
}

Json ladder_json(const LadderReport& report) {
  const LadderOptions& options = report.ladder.options;
  Json json = {{"type", "ladder"}, {"version", kVersion}};
  json["host"] = host_json(host_of(report), mean_steal(report));
  json["rounds"] = options.rounds;
  json["seed"] = *options.seed;
  put_length(json, options.length);
  json["knobs"] = options.knobs;
  json["complete"] = report.ladder.complete();
  json["ended_by_signal"] = report.ladder.ended_by_signal;
  json["rungs"] = Json::array();
  for (size_t i = 0; i < report.rungs.size(); ++i) json["rungs"].push_back(rung_json(report, i));
  put(json, "monotone", report.monotone);
  json["falls"] = falls_json(report);
  put(json, "drift", report.drift, drift_json);
  put(json, "steal", report.steal, [&](const LadderSteal&) { return steal_json(report); });
  json["noise"]["words"] = report.noise;
  json["trustworthy"] = report.warnings.empty();
  json["reasons"] = report.warnings;
  return json;
}

}  // namespace

std::string machine_of(const LadderReport& report) {
  const HostInfo* host = host_of(report);
  return host ? machine_text(*host) : "an unknown machine";
}

std::string method_of(const LadderReport& report) {
  const LadderOptions& o = report.ladder.options;
  return fmt::format(
      "{} of {} in shuffled order (seed {}), each run after a warm-up of {}",
      counted(o.rounds, "round"),
      o.length.bytes != 0 ? format_size(o.length.bytes) : format_duration(o.length.duration_ns),
      *o.seed, format_duration(o.length.warmup_ns));
}

std::vector<std::string> conditions_of(const LadderReport& report) {
  std::vector<std::string> lines;
  const Ladder& ladder = report.ladder;
  const LadderOptions& options = ladder.options;
  if (!options.knobs.empty()) lines.push_back("every rung with " + options.knobs);
  if (!ladder.complete())
    lines.push_back(fmt::format("ended early, after {} of {} runs", ladder.runs.size(),
                                options.rounds * options.rungs.size()));
  return lines;
}

std::vector<std::string> mismatches_of(const LadderReport& report) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < report.rungs.size(); ++i)
    for (const Mismatch& m : report.rungs[i].mismatches)
      lines.push_back(fmt::format("{}: {}", report.preset(i).name, mismatch_text(m)));
  return lines;
}

Document ladder_document(const LadderReport& report, GlyphSet glyphs) {
  Document document{"ladder", ladder_json(report), ladder_text(report, glyphs_of(glyphs))};
  const uint64_t bytes_wanted = report.ladder.options.length.bytes;
  for (const LadderRun& run : report.ladder.runs) {
    Document one = run_document({run.trial, report.preset(run.rung).name, bytes_wanted, {}});
    one.rows.front()["round"] = run.round;
    document.columns = std::move(one.columns);
    document.rows.push_back(std::move(one.rows.front()));
  }
  // Before the common knobs, plus_minus and the noise, which are newer.
  Columns& columns = document.columns;
  const auto newer = static_cast<ptrdiff_t>(std::min(columns.size(), common_knobs().size() + 2));
  columns.insert(columns.end() - newer, {"round", "/round"});
  return document;
}

}  // namespace pipetop::tui

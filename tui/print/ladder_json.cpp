#include "engine/base/version.h"
#include "engine/host/host.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/print/document.h"
#include "tui/print/ladder_result.h"

namespace pipetop::tui {
namespace {

Json whole_spread_json(const Spread& spread) {
  Json json = spread_json(spread);
  json["min"] = rounded(spread.least);
  json["max"] = rounded(spread.most);
  json["samples"] = spread.count;
  return json;
}

// The role during one run, as far as known without observers.
Json role_json(const WorkerView& before, const WorkerView& after) {
  Json json;
  put(json, "cpu", after.last_cpu);
  put_shares(json, after.shares);
  json["syscalls"] = after.counts.syscalls - before.counts.syscalls;
  json["eagain"] = after.counts.eagain - before.counts.eagain;
  put_difference(json, "context_switches", before.context_switches, after.context_switches);
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
  json["pipe_size"] = trial.end.effective.pipe.bytes;
  for (const Role role : {Role::writer, Role::reader})
    json[std::string(to_text(role))] = role_json(trial.begin.worker(role), trial.end.worker(role));
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
  put(json, "gib_per_s", rung.gib_per_s, whole_spread_json);
  put(json, "times_first", rung.times_first, whole_spread_json);
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
            {"ratio", whole_spread_json(fall.ratio)},
            {"words", fall.text}};
  });
}

Reading<double> mean_steal(const LadderReport& report) {
  return report.steal.has_value() ? Reading<double>::of(report.steal->mean)
                                  : Reading<double>::warming(report.steal.reason);
}

void put_length(Json& json, const TrialLength& length) {
  json["warmup_ns"] = length.warmup_ns;
  json["run_duration_ns"] = length.duration_ns;
  json["run_bytes"] = length.bytes;
  if (length.bytes != 0)
    put_null(json, "run_duration_ns", "until run_bytes were read");
  else
    put_null(json, "run_bytes", "for run_duration_ns");
}

}  // namespace

Json ladder_json(const LadderResult& result) {
  const LadderReport& report = result.report;
  const LadderOptions& options = result.options();
  Json json = {{"type", "ladder"}, {"version", kVersion}};
  json["host"] = host_json(result.host(), mean_steal(report));
  json["rounds"] = options.rounds;
  json["seed"] = options.seed;
  put_length(json, options.length);
  json["knobs"] = result.knobs;
  json["complete"] = report.ladder.complete();
  json["ended_by_signal"] = result.ended_by_signal;
  json["rungs"] = Json::array();
  for (size_t i = 0; i < report.rungs.size(); ++i) json["rungs"].push_back(rung_json(report, i));
  put(json, "monotone", report.monotone);
  json["falls"] = falls_json(report);
  put(json, "drift", report.drift, drift_json);
  put(json, "steal", report.steal, [&](const LadderSteal&) { return steal_json(report); });
  json["trustworthy"] = report.warnings.empty();
  json["reasons"] = report.warnings;
  return json;
}

}  // namespace pipetop::tui

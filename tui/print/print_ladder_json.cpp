#include "engine/base/version.h"
#include "engine/host/host.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/print/host_json.h"
#include "tui/print/print_ladder.h"

namespace pipetop::tui {
namespace {

void put_spread(Json& json, const std::string& name, const Reading<Spread>& spread) {
  if (!spread.has_value()) return put_null(json, name, spread.reason);
  json[name] = {{"median", rounded(spread->median)},
                {"quartiles", {rounded(spread->lower), rounded(spread->upper)}},
                {"min", rounded(spread->least)},
                {"max", rounded(spread->most)},
                {"samples", spread->count}};
}

// Of the role during one run, as far as it is known without observers.
Json role_json(const WorkerView& before, const WorkerView& after) {
  Json json;
  put(json, "cpu", after.last_cpu);
  put(json, "on_cpu_share", after.shares.on_cpu);
  put(json, "runnable_share", after.shares.runnable);
  put(json, "blocked_share", after.shares.blocked);
  json["syscalls"] = after.counts.syscalls - before.counts.syscalls;
  json["eagain"] = after.counts.eagain - before.counts.eagain;
  const Reading<uint64_t>&was = before.context_switches, &is = after.context_switches;
  if (was.has_value() && is.has_value() && *is >= *was)
    json["context_switches"] = *is - *was;
  else
    put_null(json, "context_switches", is.has_value() ? "the process was restarted" : is.reason);
  return json;
}

Json run_json(const LadderRun& run, size_t place) {
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

Json runs_json(const Ladder& ladder, size_t rung) {
  Json json = Json::array();
  for (size_t i = 0; i < ladder.runs.size(); ++i)
    if (ladder.runs[i].rung == rung) json.push_back(run_json(ladder.runs[i], i + 1));
  return json;
}

Json mismatches_json(const std::vector<Mismatch>& mismatches) {
  Json json = Json::array();
  for (const Mismatch& m : mismatches)
    json.push_back({{"knob", m.knob},
                    {"requested", m.requested},
                    {"effective", m.effective},
                    {"reason", m.reason}});
  return json;
}

Json rung_json(const LadderReport& report, size_t i) {
  const Preset& preset = report.preset(i);
  const LadderRung& rung = report.rungs[i];
  Json json = {{"name", preset.name}, {"title", preset.title}};
  put_spread(json, "gib_per_s", rung.gib_per_s);
  put_spread(json, "times_first", rung.times_first);
  put_article(json, preset);
  json["requested"] = knobs_json(preset.settings);
  json["mismatches"] = mismatches_json(rung.mismatches);
  json["runs"] = runs_json(report.ladder, i);
  return json;
}

void put_drift(Json& json, const Reading<LadderDrift>& drift) {
  if (!drift.has_value()) return put_null(json, "drift", drift.reason);
  const auto pace_json = [](const RoundPace& pace) {
    return Json{{"round", pace.round}, {"ratio", rounded(pace.ratio)}};
  };
  Json rounds = Json::array();
  for (const RoundPace& pace : drift->rounds) rounds.push_back(pace_json(pace));
  json["drift"] = {
      {"largest", pace_json(drift->farthest)}, {"limit_ratio", kMuchDrift}, {"rounds", rounds}};
}

void put_steal(Json& json, const LadderReport& report) {
  if (!report.steal.has_value()) return put_null(json, "steal", report.steal.reason);
  const LadderSteal& steal = *report.steal;
  json["steal"] = {{"share", rounded(steal.mean)},
                   {"largest_share", rounded(steal.most)},
                   {"largest_rung", report.preset(steal.rung).name},
                   {"largest_round", steal.round},
                   {"limit_share", kMuchSteal},
                   {"runs", steal.runs},
                   {"runs_above_limit", steal.above}};
}

Json falls_json(const LadderReport& report) {
  Json json = Json::array();
  for (const LadderFall& fall : report.falls) {
    Json one = {{"rung", report.preset(fall.rung).name},
                {"below", report.preset(fall.rung - 1).name}};
    put_spread(one, "ratio", Reading<Spread>::of(fall.ratio));
    one["words"] = fall.words;
    json.push_back(one);
  }
  return json;
}

Reading<double> mean_steal(const LadderReport& report) {
  return report.steal.has_value() ? Reading<double>::of(report.steal->mean)
                                  : Reading<double>::warming(report.steal.reason);
}

void put_length(Json& json, const TrialLength& length) {
  json["warmup_ns"] = length.warmup_ns;
  const bool by_bytes = length.bytes != 0;
  json["run_duration_ns"] = length.duration_ns;
  json["run_bytes"] = length.bytes;
  if (by_bytes)
    put_null(json, "run_duration_ns", "until run_bytes were read");
  else
    put_null(json, "run_bytes", "for run_duration_ns");
}

}  // namespace

std::string print_ladder_json(const LadderResult& result) {
  const LadderReport& report = result.report;
  const LadderOptions& options = result.options();
  Json json = {{"schema", kSchema}, {"type", "ladder"}, {"version", kVersion}};
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
  put_drift(json, report.drift);
  put_steal(json, report);
  json["trustworthy"] = report.warnings.empty();
  json["reasons"] = report.warnings;
  return to_lines(json);
}

}  // namespace pipetop::tui

#include <vector>

#include "engine/base/version.h"
#include "engine/meter/statistics.h"
#include "tui/print/document.h"
#include "tui/print/tune_report.h"

namespace pipetop::tui {
namespace {

constexpr const char* kNoFinal = "the search ended before the final";

Json rates_json(const std::vector<double>& rates) {
  const Spread spread = spread_of(rates);
  Json json = spread_json(spread);
  json["range"] = {rounded(spread.least), rounded(spread.most)};
  json["trials"] = list_json(rates, rounded);
  return json;
}

void put_rates(Json& json, const std::vector<double>& rates) {
  if (rates.empty()) return put_null(json, "gib_per_s", kNoFinal);
  json["gib_per_s"] = rates_json(rates);
}

Json comparison_json(const PairedComparison& c) {
  return {{"ratio", rounded(c.ratio)},
          {"interval", {rounded(c.low), rounded(c.high)}},
          {"interval_level", rounded(c.level)},
          {"confidence", rounded(c.confidence)},
          {"pairs", c.pairs}};
}

void put_finalist(Json& json, const std::string& name, const std::optional<Finalist>& finalist) {
  if (!finalist) return put_null(json, name, "nothing else was measured more than once");
  json[name] = {{"settings", knobs_json(finalist->settings)}};
  put_rates(json[name], finalist->gib_per_s);
}

void put_comparisons(Json& json, const TuneResult& r) {
  if (r.winner)
    json["against_reference"] = comparison_json(r.against_reference);
  else
    put_null(json, "against_reference", "there is no winner");
  if (r.has_final && r.runner_up)
    json["against_runner_up"] = comparison_json(r.against_runner_up);
  else
    put_null(json, "against_runner_up", r.runner_up ? kNoFinal : "there is no runner-up");
}

Json effect_json(const KnobEffect& effect) {
  Json json = {{"knob", effect.knob},
               {"value", effect.value},
               {"change_share", rounded(effect.change)},
               {"trials", effect.trials}};
  put(json, "two_standard_errors_share", effect.error);
  return json;
}

Json pipe_max_json(const TuneReport& report) {
  Json json = {{"bytes", report.pipe_max_bytes}, {"raised", report.raised()}};
  if (!report.raise_refusal.empty()) json["refusal"] = report.raise_refusal;
  return json;
}

}  // namespace

Json tune_json(const TuneReport& report) {
  const TuneResult& r = report.result;
  const Assessment assessment = assess(report);
  Json json = {{"version", kVersion}};
  json["host"] = host_json(&report.host, report.steal_share);
  json["pipe_max_size"] = pipe_max_json(report);
  json["budget_ns"] = report.budget_ns;
  json["spent_ns"] = r.spent_ns;
  json["seed"] = report.seed;
  json["candidates"] = r.candidates;
  json["trials"] = r.trials;
  json["refused"] = {{"candidates", r.refused}, {"reasons", r.refusals}};
  json["final"] = r.has_final;
  put_finalist(json, "winner", r.winner);
  put_finalist(json, "runner_up", r.runner_up);
  json["reference"] = {{"name", report.reference_name}, {"settings", knobs_json(r.reference)}};
  put_rates(json["reference"], r.reference_gib_per_s);
  put_comparisons(json, r);
  json["sensitivity"] = list_json(r.effects, effect_json);
  json["doubts"] = assessment.warnings;
  json["trustworthy"] = assessment.exit == Exit::ok;
  return json;
}

}  // namespace pipetop::tui

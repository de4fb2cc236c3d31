#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/host/host.h"
#include "engine/meter/statistics.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

std::string median_text(const std::vector<double>& gib_per_s) {
  return rate_text(median(gib_per_s));
}

std::string interval_text(const PairedComparison& c) {
  return fmt::format("{2:.0f} % CI {0:.2f} to {1:.2f} in this state of the machine", c.low, c.high,
                     100 * c.level);
}

// The machine's names come from the kernel: they must not end the comment.
std::string comment(const std::string& text) { return "# " + one_line(text) + "\n"; }

std::string found_comment(const TuneReport& report) {
  const TuneResult& r = report.result;
  const PairedComparison& c = r.against_reference;
  const std::string sure =
      r.has_final ? fmt::format(" ({})", interval_text(c))
                  : ", in the trials that made it the leader: the search ended before its final";
  return fmt::format("{} GiB/s, {:.2f} times {}{}.", median_text(r.winner->gib_per_s), c.ratio,
                     report.reference_name, sure);
}

std::string search_comment(const TuneReport& report) {
  const TuneResult& r = report.result;
  return fmt::format("By pipetop {} tune --budget {} --seed {}{}: {} candidates, {} trials.",
                     kVersion, format_duration(report.budget_ns), report.seed,
                     report.raised() ? " --allow-raise-pipe-max" : "", r.candidates, r.trials);
}

// The ring must be allowed to be this large next time.
std::string limit_comment(const TuneReport& report) {
  const uint64_t wanted = wanted_pipe_bytes(report.result.winner->settings.pipe);
  if (wanted <= report.host.pipe_max_size) return {};
  return comment(fmt::format("It needs: echo {} > /proc/sys/fs/pipe-max-size", wanted));
}

std::string preset_yaml(const TuneReport& report) {
  const TuneResult& r = report.result;
  std::string text = fmt::format("presets:\n  - name: {}\n    title: \"{:.2f} times {}\"\n",
                                 kTunedPreset, r.against_reference.ratio, report.reference_name);
  Settings settings = r.winner->settings;
  settings.observers = {};  // presets leave them alone
  for (const auto& [knob, value] : changed_knob_values(settings))
    text += fmt::format("    {}: {}\n", knob, value);
  return text;
}

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
          {"interval_holds_for", "the state of the machine during the final"},
          {"confidence", rounded(c.confidence)},
          {"pairs", c.pairs}};
}

void put_finalist(Json& json, const std::string& name, const std::optional<Finalist>& finalist) {
  if (!finalist) return put_null(json, name, "nothing else was measured more than once");
  json[name] = {{"settings", knobs_json(finalist->settings)}};
  put_rates(json[name], finalist->gib_per_s);
}

void put_comparisons(Json& json, const TuneResult& r) {
  put_if(r.winner.has_value(), json, "against_reference", comparison_json(r.against_reference),
         "there is no winner");
  put_if(r.has_final && r.runner_up, json, "against_runner_up",
         comparison_json(r.against_runner_up), r.runner_up ? kNoFinal : "there is no runner-up");
}

Json effect_json(const KnobEffect& effect) {
  Json json = {{"knob", effect.knob},
               {"value", effect.value},
               {"change_share", rounded(effect.change)},
               {"trials", effect.trials}};
  put(json, "two_standard_errors_share", effect.error);  // its name of old
  put(json, "plus_minus_share", effect.error);
  return json;
}

Json pipe_max_json(const TuneReport& report) {
  Json json = {{"raised", report.raised()}};
  put_if(report.pipe_max_bytes != 0, json, "bytes", report.pipe_max_bytes, kNoPipeMax);
  if (!report.raise_refusal.empty()) json["refusal"] = report.raise_refusal;
  return json;
}

constexpr double kSure = 0.95;
// Fewer heats cannot give 95 % confidence.
constexpr size_t kFewHeats = 6;

std::string rate_line(const Finalist& finalist, bool has_final) {
  const Spread rates = spread_of(finalist.gib_per_s);
  return fmt::format("  {} GiB/s   middle half {} to {}, range {} to {}, {} trials{}\n",
                     rate_text(rates.median), rate_text(rates.lower), rate_text(rates.upper),
                     rate_text(rates.least), rate_text(rates.most), rates.count,
                     has_final ? " of the final" : "");
}

// "99.9" is the most confidence that a minute can give.
std::string sure_text(double confidence) {
  return confidence > 0.999 ? "more than 99.9 % confidence"
                            : fmt::format("{:.3g} % confidence", 100 * confidence);
}

std::string reference_line(const TuneReport& report) {
  const TuneResult& r = report.result;
  const PairedComparison& c = r.against_reference;
  if (!r.has_final)
    return fmt::format("  {:.2f} times {}, in the trials that made it the leader: optimistic\n",
                       c.ratio, report.reference_name);
  return fmt::format("  {:.2f} times {} ({} GiB/s next to it): {}, {}\n", c.ratio,
                     report.reference_name, median_text(r.reference_gib_per_s), interval_text(c),
                     sure_text(c.confidence));
}

std::string runner_up_lines(const TuneResult& r) {
  if (!r.runner_up) return "  there is no runner-up\n";
  const std::string knobs = fmt::format("    {}\n", changed_knobs(r.runner_up->settings));
  if (!r.has_final) return "  not compared with the runner-up: there was no final\n" + knobs;
  const PairedComparison& c = r.against_runner_up;
  const std::string sure = c.confidence < kSure
                               ? fmt::format("not distinguishable, {}", sure_text(c.confidence))
                               : sure_text(c.confidence);
  return fmt::format("  {:.3f} times the runner-up ({} GiB/s): {}\n", c.ratio,
                     median_text(r.runner_up->gib_per_s), sure) +
         knobs;
}

std::string effect_line(const KnobEffect& effect) {
  std::string text =
      fmt::format("  {:<11} {:<10} {:>+7.1f} %", effect.knob, effect.value, 100 * effect.change);
  if (!effect.error.has_value()) return text + "  (" + effect.error.reason + ")\n";
  text += fmt::format(" ± {:.1f}", 100 * *effect.error);
  return text + (std::abs(effect.change) < *effect.error ? "  not distinguishable\n" : "\n");
}

std::string sensitivity(const TuneResult& r) {
  if (r.effects.empty()) return "\nsensitivity unknown: there was no time left for it\n";
  std::string text =
      "\nsensitivity: the rate with another value of one knob, ± the 95 % interval\n";
  for (const KnobEffect& effect : r.effects) text += effect_line(effect);
  return text;
}

std::string search_lines(const TuneReport& report) {
  const TuneResult& r = report.result;
  std::string text =
      fmt::format("\n{} candidates in {} trials, {} of {}; seed {}; ", r.candidates, r.trials,
                  seconds_text(r.spent_ns), format_duration(report.budget_ns), report.seed);
  text += report.steal_share.has_value()
              ? fmt::format("the host stole {:.1f} %\n", 100 * *report.steal_share)
              : fmt::format("steal unknown: {}\n", report.steal_share.reason);
  if (report.raised())
    text += fmt::format("fs.pipe-max-size was raised from {} to {} during the search\n",
                        format_size(report.host.pipe_max_size), format_size(report.pipe_max_bytes));
  if (!report.raise_refusal.empty())
    text += fmt::format("fs.pipe-max-size stayed {}: {}\n", format_size(report.pipe_max_bytes),
                        report.raise_refusal);
  for (const std::string& why : r.refusals) text += fmt::format("not available here: {}\n", why);
  return text;
}

// Too few heats for a confident result.
bool is_thin(const TuneResult& r) { return r.reference_gib_per_s.size() < kFewHeats; }

std::string tune_text(const TuneReport& report) {
  const TuneResult& r = report.result;
  if (!r.winner) return "no winner: nothing was measured more than once\n" + search_lines(report);
  return fmt::format("{}\n", changed_knobs(r.winner->settings)) +
         rate_line(*r.winner, r.has_final) + reference_line(report) + runner_up_lines(r) +
         sensitivity(r) + search_lines(report);
}

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
  json["noise"]["words"] = report.noise;
  json["doubts"] = assessment.warnings;
  json["trustworthy"] = assessment.exit == Exit::ok;
  return json;
}

}  // namespace

std::string tune_config_yaml(const TuneReport& report) {
  return comment(found_comment(report)) +
         comment(fmt::format("On {}; fs.pipe-max-size {}.", machine_text(report.host),
                             report.host.pipe_max_size)) +
         comment(search_comment(report)) + limit_comment(report) +
         fmt::format("preset: {}\n\n", kTunedPreset) + preset_yaml(report);
}

Document tune_document(const TuneReport& report) {
  return {"tune", tune_json(report), tune_text(report)};
}

Assessment assess(const TuneReport& report) {
  const TuneResult& r = report.result;
  Assessment assessment;
  if (!r.winner)
    assessment.warn(Exit::untrustworthy,
                    report.ended_by_signal != 0 ? "ended before there was a winner"
                    : r.refused > r.candidates ? fmt::format("no winner: {} settings were refused, "
                                                             "such as {}",
                                                             r.refused, r.refusals.front())
                                               : "no winner: give a longer --budget");
  else if (is_thin(r) && report.ended_by_signal == 0)
    assessment.warn(
        Exit::ok,
        fmt::format("low confidence: the final had {} heats, it needs {}; give a longer --budget",
                    r.reference_gib_per_s.size(), kFewHeats));
  assessment.warn_of_steal(report.steal_share, "the ranking may be wrong");
  if (!report.noise.empty()) assessment.warn(Exit::ok, "disturbed: " + report.noise);
  return assessment;
}

}  // namespace pipetop::tui

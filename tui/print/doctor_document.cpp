#include <fmt/core.h>

#include <array>
#include <vector>

#include "engine/base/version.h"
#include "engine/experiment/doctor.h"
#include "engine/experiment/overhead.h"
#include "engine/meter/statistics.h"
#include "engine/observe/refusals.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, 3> kCheckResults = {"works", "limited", "missing"};

const char* result_text(const Check& check) {
  return kCheckResults[static_cast<size_t>(check.result)];
}

// What is missing for a user without root.
std::string lost(std::span<const Check> checks) {
  std::string line;
  for (const Check& check : checks)
    if (line.empty()) line = observe::lost_without_root(check.why);
  return line;
}

std::string doctor_text(const HostInfo& host, std::span<const Check> checks) {
  TextTable table({{"", '<', 7}, {""}, {""}});
  for (const Check& check : checks) {
    table.add({result_text(check), check.name, check.found});
    if (!check.why.empty()) table.add({"", "", "why: " + check.why});
    const bool said = !observe::lost_without_root(check.why).empty();  // at the top, once for all
    if (!check.remedy.empty() && !said) table.add({"", "", "try: " + check.remedy});
  }
  const std::string line = lost(checks);
  return machine_text(host) + "\n" + (line.empty() ? "" : line + "\n") + "\n" + table.text();
}

struct OverheadPhase {
  double OverheadRound::*phase;
  const char* key;
  const char* words;
};
constexpr OverheadPhase kPhases[] = {
    {&OverheadRound::on, "observers", "observers on / off"},
    {&OverheadRound::timers, "timers", "timer interrupts alone / off"},
};

double median_rate(const Overhead& overhead, double OverheadRound::*phase) {
  std::vector<double> rates;
  for (const OverheadRound& round : overhead.rounds) rates.push_back(round.*phase);
  return median(rates);
}

Json phase_json(const Overhead& overhead, double OverheadRound::*phase) {
  const Spread ratios = spread_of(overhead.ratios(phase));
  return {{"ratio_median", rounded(ratios.median)},
          {"ratio_quartiles", {rounded(ratios.lower), rounded(ratios.upper)}},
          {"ratio_range", {rounded(ratios.least), rounded(ratios.most)}},
          {"gib_per_s_median", rounded(median_rate(overhead, phase))}};
}

std::string overhead_text(const NamedOverheads& found) {
  std::string text =
      "Throughput with and without observers, interleaved on the same workers: the median\nratio, "
      "the middle half of the rounds in brackets, and the lowest and the highest. The\ntimers "
      "alone "
      "are the cost of any sampling at this rate on this machine.\n";
  for (const auto& [name, overhead] : found) {
    text += fmt::format("\n{}, {}, {}, {} GiB/s unobserved\n", name, overhead.event.rate(),
                        counted(overhead.rounds.size(), "round"),
                        rate_text(median_rate(overhead, &OverheadRound::off)));
    for (const OverheadPhase& p : kPhases) {
      const Spread ratios = spread_of(overhead.ratios(p.phase));
      text += fmt::format("  {:<29} {:.3f}  [{:.3f} .. {:.3f}]  {:.3f} to {:.3f}\n", p.words,
                          ratios.median, ratios.lower, ratios.upper, ratios.least, ratios.most);
    }
  }
  return text;
}

}  // namespace

Document doctor_document(const HostInfo& host, std::span<const Check> checks) {
  Json json = {{"version", kVersion}, {"host", short_host_json(host)}, {"checks", Json::array()}};
  for (const Check& check : checks)
    json["checks"].push_back({{"name", check.name},
                              {"result", result_text(check)},
                              {"found", check.found},
                              {"why", check.why},
                              {"remedy", check.remedy}});
  const std::string line = lost(checks);
  json["lost_without_root"] = line.empty() ? Json() : Json(line);
  return {"doctor", std::move(json), doctor_text(host, checks)};
}

Document overhead_document(const NamedOverheads& found) {
  Json list = Json::array();
  for (const auto& [name, overhead] : found) {
    list.push_back({{"name", name},
                    {"hz", overhead.event.hz},
                    {"time_share", overhead.event.share},
                    {"rounds", overhead.rounds.size()},
                    {"off_gib_per_s_median", rounded(median_rate(overhead, &OverheadRound::off))}});
    for (const OverheadPhase& p : kPhases) list.back()[p.key] = phase_json(overhead, p.phase);
  }
  return {"overhead", {{"version", kVersion}, {"overhead", std::move(list)}}, overhead_text(found)};
}

Document presets_document(std::span<const Preset> presets) {
  TextTable table({{""}, {""}});
  Json list = Json::array();
  for (const Preset& preset : presets) {
    table.add({preset.name, preset.title});
    table.add({"", "  " + changed_knobs(preset.settings)});
    list.push_back({{"name", preset.name},
                    {"title", preset.title},
                    {"settings", knobs_json(preset.settings)}});
    put_article(list.back(), preset);
  }
  return {"presets", {{"presets", std::move(list)}}, table.text()};
}

}  // namespace pipetop::tui

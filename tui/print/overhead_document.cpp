#include <fmt/core.h>

#include <vector>

#include "engine/base/version.h"
#include "engine/experiment/overhead.h"
#include "engine/meter/statistics.h"
#include "tui/print/document.h"
#include "tui/print/phrases.h"

namespace pipetop::tui {
namespace {

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
      "with the middle half in brackets. The timers alone are the cost of any sampling\nat this "
      "rate on this machine.\n";
  for (const auto& [name, overhead] : found) {
    text += fmt::format("\n{}, {} Hz, {}, {:.2f} GiB/s unobserved\n", name, overhead.frequency_hz,
                        counted(overhead.rounds.size(), "round"),
                        median_rate(overhead, &OverheadRound::off));
    for (const OverheadPhase& p : kPhases) {
      const Spread ratios = spread_of(overhead.ratios(p.phase));
      text += fmt::format("  {:<29} {:.3f}  [{:.3f} .. {:.3f}]\n", p.words, ratios.median,
                          ratios.lower, ratios.upper);
    }
  }
  return text;
}

}  // namespace

Document overhead_document(const NamedOverheads& found) {
  Json list = Json::array();
  for (const auto& [name, overhead] : found) {
    list.push_back({{"name", name},
                    {"hz", overhead.frequency_hz},
                    {"rounds", overhead.rounds.size()},
                    {"off_gib_per_s_median", rounded(median_rate(overhead, &OverheadRound::off))}});
    for (const OverheadPhase& p : kPhases) list.back()[p.key] = phase_json(overhead, p.phase);
  }
  return {"overhead", {{"version", kVersion}, {"overhead", std::move(list)}}, overhead_text(found)};
}

}  // namespace pipetop::tui

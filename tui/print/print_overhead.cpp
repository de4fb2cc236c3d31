#include "tui/print/print_overhead.h"

#include <fmt/core.h>

#include "engine/base/version.h"
#include "engine/meter/statistics.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {
namespace {

struct PhaseName {
  double OverheadRound::*phase;
  const char* key;
  const char* words;
};
constexpr PhaseName kPhases[] = {
    {&OverheadRound::on, "observers", "observers on / off"},
    {&OverheadRound::timers, "timers", "timer interrupts alone / off"},
};

std::vector<double> rates(const Overhead& overhead, double OverheadRound::*phase) {
  std::vector<double> rates;
  for (const OverheadRound& round : overhead.rounds) rates.push_back(round.*phase);
  return rates;
}

Json phase_json(const Overhead& overhead, double OverheadRound::*phase) {
  const std::vector<double> ratios = overhead.ratios(phase);
  return {{"ratio_median", rounded(median(ratios))},
          {"ratio_quartiles", {rounded(quantile(ratios, 0.25)), rounded(quantile(ratios, 0.75))}},
          {"ratio_range", {rounded(quantile(ratios, 0)), rounded(quantile(ratios, 1))}},
          {"gib_per_s_median", rounded(median(rates(overhead, phase)))}};
}

}  // namespace

std::string print_overhead_human(std::span<const NamedOverhead> found) {
  std::string text =
      "Throughput with and without, in turns while the same workers run: the median of the\n"
      "ratios, in brackets the middle half of them. The timers alone are what the machine\n"
      "asks for any sampling at this rate.\n";
  for (const auto& [name, overhead] : found) {
    text +=
        fmt::format("\n{}, {} Hz, {} rounds, {:.2f} GiB/s unwatched\n", name, overhead.frequency_hz,
                    overhead.rounds.size(), median(rates(overhead, &OverheadRound::off)));
    for (const PhaseName& p : kPhases) {
      const std::vector<double> ratios = overhead.ratios(p.phase);
      text += fmt::format("  {:<29} {:.3f}  [{:.3f} .. {:.3f}]\n", p.words, median(ratios),
                          quantile(ratios, 0.25), quantile(ratios, 0.75));
    }
  }
  return text;
}

std::string print_overhead_json(std::span<const NamedOverhead> found) {
  Json json = {{"schema", kSchema}, {"version", kVersion}, {"overhead", Json::array()}};
  for (const auto& [name, overhead] : found) {
    Json one = {{"name", name},
                {"hz", overhead.frequency_hz},
                {"rounds", overhead.rounds.size()},
                {"off_gib_per_s_median", rounded(median(rates(overhead, &OverheadRound::off)))}};
    for (const PhaseName& p : kPhases) one[p.key] = phase_json(overhead, p.phase);
    json["overhead"].push_back(one);
  }
  return to_lines(json);
}

}  // namespace pipetop::tui

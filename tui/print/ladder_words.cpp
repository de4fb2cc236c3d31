#include "tui/print/ladder_words.h"

#include <fmt/core.h>

#include "engine/base/text.h"

namespace pipetop::tui {
namespace {

std::string length_words(const TrialLength& length) {
  return length.bytes != 0 ? format_size(length.bytes) : format_duration(length.duration_ns);
}

}  // namespace

std::string machine_words(const LadderResult& result) {
  const HostInfo* host = result.host();
  if (!host) return "an unknown machine";
  return fmt::format("{}, {} CPU{}, {}{}Linux {}", host->cpu, host->cpus,
                     host->cpus == 1 ? "" : "s", host->hypervisor,
                     host->hypervisor.empty() ? "" : ", ", host->kernel);
}

std::string method_words(const LadderResult& result) {
  const LadderOptions& o = result.options();
  return fmt::format("{} round{} of {} in shuffled order (seed {}), each run after a warm-up of {}",
                     o.rounds, o.rounds == 1 ? "" : "s", length_words(o.length), o.seed,
                     format_duration(o.length.warmup_ns));
}

std::string knobs_words(const LadderResult& result) {
  return result.knobs.empty() ? "" : "every rung with " + result.knobs;
}

std::string early_words(const LadderResult& result) {
  const Ladder& ladder = result.report.ladder;
  if (ladder.complete()) return {};
  return fmt::format("ended early, after {} of {} runs", ladder.runs.size(),
                     ladder.options.rounds * ladder.options.rungs.size());
}

std::string drift_words(const LadderReport& report) {
  if (!report.drift.has_value()) return "unknown: " + report.drift.reason;
  const RoundPace& pace = report.drift->farthest;
  return fmt::format("at most {:+.1f} % (round {} against the median round)",
                     100 * (pace.ratio - 1), pace.round);
}

std::string steal_words(const LadderReport& report) {
  if (!report.steal.has_value()) return "unknown: " + report.steal.reason;
  const LadderSteal& steal = *report.steal;
  std::string text = fmt::format("{:.1f} % of the time", 100 * steal.mean);
  if (steal.most > 0)
    text += fmt::format(", {:.1f} % in the worst run ({}, round {})", 100 * steal.most,
                        report.preset(steal.rung).name, steal.round);
  return text;
}

std::vector<std::string> mismatch_words(const LadderReport& report) {
  std::vector<std::string> words;
  for (size_t i = 0; i < report.rungs.size(); ++i)
    for (const Mismatch& m : report.rungs[i].mismatches)
      words.push_back(fmt::format("{}: {} {} requested, {} effective: {}", report.preset(i).name,
                                  m.knob, m.requested, m.effective, m.reason));
  return words;
}

}  // namespace pipetop::tui

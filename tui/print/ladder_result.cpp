#include "tui/print/ladder_result.h"

#include <fmt/core.h>

#include "engine/base/text.h"
#include "tui/print/phrases.h"

namespace pipetop::tui {

std::string LadderResult::machine() const {
  return host() ? machine_text(*host()) : "an unknown machine";
}

std::string LadderResult::method() const {
  const LadderOptions& o = options();
  return fmt::format(
      "{} of {} in shuffled order (seed {}), each run after a warm-up of {}",
      counted(o.rounds, "round"),
      o.length.bytes != 0 ? format_size(o.length.bytes) : format_duration(o.length.duration_ns),
      o.seed, format_duration(o.length.warmup_ns));
}

std::vector<std::string> LadderResult::conditions() const {
  std::vector<std::string> lines;
  const Ladder& ladder = report.ladder;
  if (!knobs.empty()) lines.push_back("every rung with " + knobs);
  if (!ladder.complete())
    lines.push_back(fmt::format("ended early, after {} of {} runs", ladder.runs.size(),
                                ladder.options.rounds * ladder.options.rungs.size()));
  return lines;
}

std::vector<std::string> LadderResult::mismatches() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < report.rungs.size(); ++i)
    for (const Mismatch& m : report.rungs[i].mismatches)
      lines.push_back(fmt::format("{}: {}", report.preset(i).name, mismatch_text(m)));
  return lines;
}

}  // namespace pipetop::tui

// Ladders made of round numbers.
#pragma once

#include <initializer_list>
#include <vector>

#include "engine/base/clock.h"
#include "engine/experiment/ladder.h"
#include "engine/model/segment.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {

inline LadderRun run_at(size_t rung, uint32_t round, double gib_per_s) {
  LadderRun run{rung, round, {}};
  run.trial.begin.now_ns = 7 * kSecond;
  run.trial.end.now_ns = 8 * kSecond;
  run.trial.end.throughput.clock_ns = 1'000'000'000;
  run.trial.end.throughput.total_items = static_cast<uint64_t>(gib_per_s * kGiB);
  for (Snapshot* s : {&run.trial.begin, &run.trial.end})
    for (const Role role : {Role::writer, Role::reader})
      s->workers[static_cast<size_t>(role)].role = role;
  run.trial.steal_share = Reading<double>::of(0.01);
  return run;
}

// `gib_per_s` by round, then by rung.
inline Ladder ladder_of(std::initializer_list<std::vector<double>> gib_per_s) {
  Ladder ladder;
  ladder.options.rounds = static_cast<uint32_t>(gib_per_s.size());
  const size_t rungs = gib_per_s.begin()->size();
  for (size_t i = 0; i < rungs; ++i) ladder.options.rungs.push_back(article_presets()[i]);
  uint32_t round = 0;
  for (const std::vector<double>& rates : gib_per_s) {
    ++round;
    for (size_t rung = 0; rung < rungs; ++rung)
      ladder.runs.push_back(run_at(rung, round, rates[rung]));
  }
  return ladder;
}

}  // namespace pipetop

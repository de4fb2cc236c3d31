// Why a change made a watched pipeline faster or slower: by what its stages did for each byte. The
// stage that waits least for the other ones while the pipeline is slow sets the pace. What it
// spends its time on explains the change if it is at least half of the difference.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/judge/change_words.h"
#include "engine/model/pipeline.h"

namespace pipetop {
namespace {

constexpr double kNothing = 0.01;  // of the time

// What a stage does with a part of its time.
struct Part {
  std::string_view does;  // "waits for room"
  double then, now;       // shares of its time
};

// Both times of a stage; shares that are unknown are none of them.
struct StagePair {
  const SegmentRole *before, *after;
};

std::vector<StagePair> pairs_of(const Segment& before, const Segment& after) {
  std::vector<StagePair> pairs;
  for (const SegmentRole& stage : before.stages) {
    const auto same = std::ranges::find(after.stages, stage.id, &SegmentRole::id);
    if (same != after.stages.end() && stage.shares.waits.has_value() &&
        same->shares.waits.has_value())
      pairs.push_back({&stage, &*same});
  }
  return pairs;
}

double waits_in_pipes(const SegmentRole& stage) {
  return stage.shares.waits->reading + stage.shares.waits->writing;
}

std::vector<Part> parts_of(const StagePair& pair) {
  const TimeShares &then = pair.before->shares, &now = pair.after->shares;
  std::vector<Part> parts = {
      {"is on a CPU", *then.on_cpu, *now.on_cpu},
      {"waits for a CPU", *then.runnable, *now.runnable},
      {does_of(WaitsFor::pipe_read), then.waits->reading, now.waits->reading},
      {does_of(WaitsFor::pipe_write), then.waits->writing, now.waits->writing}};
  for (size_t i = 0; i < kWaits; ++i)
    parts.push_back(
        {does_of(static_cast<WaitsFor>(i)), then.waits->elsewhere[i], now.waits->elsewhere[i]});
  return parts;
}

// "no longer waits for room", "waits less for room"
std::string phrase(const Part& part, bool faster) {
  if (part.now <= std::max(kNothing, kGone * part.then))
    return fmt::format("no longer {}", part.does);
  if (part.then <= std::max(kNothing, kGone * part.now)) return fmt::format("now {}", part.does);
  const size_t verb = part.does.find(' ');
  return fmt::format("{} {}{}", part.does.substr(0, verb), faster ? "less" : "longer",
                     verb == std::string_view::npos ? "" : part.does.substr(verb));
}

}  // namespace

Cause cause_among_stages(const Segment& before, const Segment& after) {
  const std::vector<StagePair> pairs = pairs_of(before, after);
  if (pairs.empty()) return {"cause unknown", "the times of its stages are not known", {}};
  const bool faster = after.rate->mean > before.rate->mean;
  const StagePair& pace = *std::ranges::min_element(pairs, {}, [&](const StagePair& pair) {
    return waits_in_pipes(faster ? *pair.before : *pair.after);
  });
  // Times are those for one byte.
  const double then_ns = 1e9 / before.rate->mean, now_ns = 1e9 / after.rate->mean;
  const auto gain = [&](const Part& part) {
    return (part.then * then_ns - part.now * now_ns) * (faster ? 1 : -1);
  };
  const std::vector<Part> parts = parts_of(pace);
  const Part& most = *std::ranges::max_element(parts, {}, gain);
  if (gain(most) < std::abs(then_ns - now_ns) / 2) return {"no single cause", {}, {}};
  const bool by_work = &most == parts.data();
  return {by_work ? fmt::format("{} needs {} CPU time for a byte", pace.after->name,
                                faster ? "less" : "more")
                  : fmt::format("{} {}", pace.after->name, phrase(most, faster)),
          fmt::format("{} → {} % of its time", percent_number(most.then), percent_number(most.now)),
          {}};
}

}  // namespace pipetop

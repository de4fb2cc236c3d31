// The rules, in order; the first that matches gives the cause. All times are for one item: a byte
// or a rule. It takes as long for the writer as for the reader: the time that each of them works,
// waits and sleeps for it. The difference is between that time before and after; a part of it
// explains the change if it is at least half of it, with two standard errors of its samples.
//
// Time without a CPU is left out if its share is about the same before and after: others take it.
//
// The limiting role is the one that waits less (asleep, for a lock, or asking in vain) while the
// pipe is slow. If even that one waits kTakesTurns or more, the two take turns: then the work of
// both counts, else only that of the limiting role. What counts as which work is in glossary.cpp.
//
//   within the noise    the interval of the factor    there is nothing to explain
//                       has 1 in it: ratio_of()
//   the rates vary ...  likewise, but the means       only a longer look would tell
//                       differ by a quarter or more
//   more processes      their number changed, and     each is about as fast as before
//                       the rate of each explains
//                       less than half
//   lent or copied      the slots' kind changed       copying costs allocating and freeing, too;
//                       from copies or to them;       lending costs looking up and giving back
//                       what the writer copies,
//                       allocates, looks up and
//                       gives back is half
//   a work              copying, page lookup,         the most first
//                       pages, slots, calls, ...
//   sleeping            the limiting role's, without  it is lost to wakeups, and to waiting for a
//                       what the other one works      CPU; what it slept while the other one
//                       meanwhile                     worked is no cause
//   the mutex, polling  the limiting role's           as above
//   a function          the innermost one             of works that have no name here
//   no single cause     several changes at once, if
//                       more than one technique
//                       changed
//
// A rule whose numbers are unknown is left out.
#include "engine/judge/change_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/judge/change_words.h"
#include "engine/judge/comparison.h"
#include "engine/judge/evidence.h"
#include "engine/judge/noise.h"
#include "engine/model/pipeline.h"

namespace pipetop {
namespace {

constexpr double kNoDifference = 0.02;
// A function that contains nearly all of a role's time is no cause.
constexpr double kNearlyAll = 0.8;
constexpr const char* kUnknown = "cause unknown";

// What is known of the cause so far.
struct Findings {
  std::optional<Cause> cause;
  bool more_samples = false, never = false;

  // Whether it is the cause.
  bool judge(const Comparison& c, const std::optional<ItemTime>& gain) {
    if (!gain) return false;
    const Half half = c.is_half(*gain);
    more_samples |= half == Half::more_samples;
    never |= half == Half::never;
    return half == Half::yes;
  }
};

bool differs_by_less(const RateStats& before, const RateStats& after, double share) {
  return std::abs(after.mean - before.mean) < share * before.mean;
}

// The share of its time that others kept a role from running.
std::optional<double> kept_waiting(const SegmentRole& role) {
  const auto runnable = known(role.shares.runnable);
  if (!runnable || !role.totals.has_value() || role.totals->wall_ns == 0) return {};
  const double wakeups = double(role.totals->sleeps) * kWakeup_ns / double(role.totals->wall_ns);
  return std::max(0.0, *runnable - wakeups);
}

// The share of the time by which others took more of the CPUs, or less, than before. Not if our own
// processes share CPUs: then they wait for each other.
double taken_by_others(const Segment& before, const Segment& after) {
  const auto then = known(before.steal_share), now = known(after.steal_share);
  const double stolen = then && now ? std::abs(*now - *then) : 0;
  const PipeSettings &was = before.requested.pipe, &is = after.requested.pipe;
  if (was.placement != is.placement || is.placement == Placement::same_cpu) return stolen;
  double most = 0;
  for (const Role role : kBothRoles) {
    if (before.role(role).processes != after.role(role).processes) continue;
    const auto waited = kept_waiting(before.role(role)), waits = kept_waiting(after.role(role));
    if (waited && waits) most = std::max(most, std::abs(*waits - *waited));
  }
  return stolen + most;
}

void set_interval(const Segment& before, const Segment& after, double repeats, Change& change) {
  double off = std::max({off_by(*before.rate, *after.rate), repeats, std::log1p(kNoDifference)});
  off += taken_by_others(before, after);
  if (!before.noise.empty() || !after.noise.empty()) off *= 2;  // it has to clear by far
  change.low = change.factor * std::exp(-off);
  change.high = change.factor * std::exp(off);
}

// "a change of less than 15 % can't be seen after 3 s", "" if nearly nothing could be.
std::string what_could_be_seen(const Change& change, const Segment& after) {
  const double least = change.high / change.factor - 1;
  if (least >= 1) return "";
  return fmt::format("a change of less than {} can't be seen after {:.0f} s",
                     whole_percent_text(least), std::max(1.0, double(after.duration_ns) / 1e9));
}

// Nobody would call more than this noise.
bool hardly_differs(const RateStats& before, const RateStats& after) {
  return differs_by_less(before, after, 0.25);
}

void more_processes(const Comparison& c, Findings& found) {
  const Role role = c.limiting().role;
  const int then = c.before().role(role).processes, now = c.after().role(role).processes;
  if (then == now || then < 1 || now < 1) return;
  const double all = c.after().rate->mean / c.before().rate->mean;
  const double each = all * then / now;
  if (std::abs(std::log(each)) > std::abs(std::log(all)) / 2) return;
  found.cause = words_of_processes(c, then, now);
}

std::optional<double> copies(const Segment& segment) {
  if (!segment.kinds.has_value()) return {};
  return (*segment.kinds)[static_cast<size_t>(SlotKind::copy)];
}

// All that a page costs because it is copied, or lent.
std::optional<ItemTime> gain_of_lending(const Comparison& c) {
  ItemTime sum;
  for (const RolePair& pair : c.roles()) {
    if (!c.counts(pair)) continue;
    for (const Work work : {Work::pages, Work::release, Work::lookup, Work::copying}) {
      if (work == Work::copying && pair.role == Role::reader) continue;  // it copies in any case
      const auto gain = c.gain(pair, work);
      if (!gain) return {};
      sum.ns += gain->ns;
      sum.variance += gain->variance;
    }
  }
  return sum;
}

void lent_or_copied(const Comparison& c, Findings& found) {
  const auto then = copies(c.before()), now = copies(c.after());
  if (!then || !now || (*then >= 0.5) == (*now >= 0.5)) return;
  if (found.judge(c, gain_of_lending(c))) found.cause = words_of_lending(c);
}

struct WorkGain {
  Work work;
  ItemTime gain;
};

std::vector<WorkGain> gains_of(const Comparison& c, bool waiting) {
  std::vector<WorkGain> gains;
  for (int i = 0; i < kWorks; ++i) {
    const auto work = static_cast<Work>(i);
    if (is_waiting(work) != waiting || work == Work::other) continue;
    const auto gain = work == Work::sleeping ? c.gain_of_sleep() : c.gain(work);
    if (gain) gains.push_back({work, *gain});
  }
  std::ranges::sort(gains, std::greater{}, [](const WorkGain& g) { return g.gain.ns; });
  return gains;
}

void a_work(const Comparison& c, Findings& found) {
  for (const WorkGain& one : gains_of(c, false)) {
    if (!found.judge(c, one.gain)) continue;
    found.cause = words_of_work(c, one.work);
    return;
  }
}

void waiting(const Comparison& c, Findings& found) {
  for (const WorkGain& one : gains_of(c, true)) {
    if (!found.judge(c, one.gain)) continue;
    found.cause = one.work == Work::sleeping ? words_of_sleep(c) : words_of_work(c, one.work);
    return;
  }
}

void a_function(const Comparison& c, Findings& found) {
  const RolePair& pair = c.limiting();
  std::vector<FunctionGain> functions = c.functions(pair, Below::callees);
  const double on_cpu_ns = c.slow(pair).on_cpu_ns;
  std::erase_if(functions, [&](const FunctionGain& f) {
    return f.slow_ns > kNearlyAll * on_cpu_ns || work_of(Function(f.name)) == Work::calls;
  });
  const FunctionGain* function = innermost(functions, c.whole_ns() / 2);
  if (function && found.judge(c, function->gain))
    found.cause = words_of_function(c, pair, function->name);
}

// Why there are no functions to compare, "" if there are.
std::string why_unknown(const Comparison& c) {
  for (const Segment* segment : {&c.before(), &c.after()}) {
    const SegmentRole& role = segment->role(c.limiting().role);
    if (role.functions.status == ReadingStatus::unavailable)
      return fmt::format("no functions: {}", why_of(role.functions.reason));
    if (role.shares.on_cpu.status == ReadingStatus::unavailable)
      return std::string(why_of(role.shares.on_cpu.reason));
  }
  return {};
}

Cause find_cause(const Comparison& c) {
  Findings found;
  using Rule = void (*)(const Comparison&, Findings&);
  for (const Rule rule : {more_processes, lent_or_copied, a_work, waiting, a_function}) {
    rule(c, found);
    if (found.cause) return *found.cause;
  }
  if (std::string why = why_unknown(c); !why.empty()) return {kUnknown, std::move(why), {}};
  if (!c.limiting().after.functions || found.more_samples) return {};
  if (!c.limiting().before.functions || found.never)
    return {kUnknown, "too few samples in the previous segment", {}};
  return words_of_none(c);
}

// ---- a watched pipeline ----

// By what its stages did for each byte. The stage that waits least for the other ones while the
// pipeline is slow sets the pace. What it spends its time on explains the change if it is at least
// half of the difference.

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

// Both have a rate above 0.
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

// ---- what is said ----

// Why there is nothing to compare, "" if there is.
std::string nothing_to_compare(const Segment& before, const Segment& after) {
  for (const Segment* segment : {&before, &after}) {
    if (segment->requested.pipe.slow_motion || segment->effective.pipe.slow_motion)
      return "slow motion: pipetop sets the pace";
  }
  if (!before.rate.has_value() || before.rate->mean <= 0)
    return "nothing to compare with: the previous segment was too short or moved no data";
  return {};
}

}  // namespace

double off_by(const RateStats& before, const RateStats& after) {
  if (!before.plus_minus || !after.plus_minus) return std::numeric_limits<double>::infinity();
  return std::hypot(*before.plus_minus / before.mean, *after.plus_minus / after.mean);
}

Reading<Change> explain_change(const Segment& before, const Segment& after,
                               const WorkloadTerms& terms, double repeats) {
  if (std::string why = nothing_to_compare(before, after); !why.empty())
    return Reading<Change>::unavailable(std::move(why));
  if (!is_settled(after.rate))
    return Reading<Change>::warming(fmt::format("{} of {} rates measured",
                                                after.rate.has_value() ? after.rate->samples : 0,
                                                kSettledRates));
  Change change{.before = before.rate->mean, .after = after.rate->mean};
  change.factor = change.after / change.before;
  if (after.rate->mean > 0) set_interval(before, after, repeats, change);
  if (after.rate->mean <= 0) {
    change.cause = "nothing moves";
  } else if (!change.is_seen()) {
    change.cause = hardly_differs(*before.rate, *after.rate) ? "within the noise"
                                                             : "the rates vary too much to tell";
    change.evidence = what_could_be_seen(change, after);
  } else {
    Cause cause = after.stages.empty() ? find_cause(Comparison(before, after, terms))
                                       : cause_among_stages(before, after);
    change.cause = std::move(cause.words);
    change.evidence = std::move(cause.evidence);
    change.function = std::move(cause.function);
  }
  return Reading<Change>::of(std::move(change));
}

std::string line_of(const Change& change, const Unit& unit) {
  // Bytes per second would be long numbers.
  const std::string rates =
      unit.count == 1 && unit.items == "bytes"
          ? bytes_text(change.before, change.after) + "/s"
          : fmt::format("{:.3g} → {:.3g} {}", change.before, change.after, unit.rate);
  return fmt::format("{}, ×{:.2f}{}{}{}", rates, change.factor,
                     interval_text(change.low, change.high), change.cause.empty() ? "" : ": ",
                     change.cause);
}

}  // namespace pipetop

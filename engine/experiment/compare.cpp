#include "engine/experiment/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace pipetop {
namespace {

constexpr uint32_t kMostRounds = 999;
constexpr size_t kMostFunctions = 3;

bool same_settings(const StoredRung& a, const StoredRung& b) {
  if (a.unit != b.unit) return false;
  size_t common = 0;
  for (const auto& [knob, value] : a.settings) {
    const auto other = b.settings.find(knob);
    if (other == b.settings.end()) continue;  // of another version
    if (other->second != value) return false;
    ++common;
  }
  return common > 0;
}

// The one with these settings, rather of the same name.
std::optional<size_t> place_of(const StoredRung& rung, const std::vector<StoredRung>& rungs,
                               const std::vector<bool>& taken) {
  std::optional<size_t> found;
  for (size_t i = 0; i < rungs.size(); ++i) {
    if (taken[i] || !same_settings(rung, rungs[i])) continue;
    if (rung.name == rungs[i].name) return i;
    if (!found) found = i;
  }
  return found;
}

// For each rung of `a` its partner in `b`.
std::vector<std::optional<size_t>> partners(const std::vector<StoredRung>& a,
                                            const std::vector<StoredRung>& b) {
  std::vector<bool> taken(b.size());
  std::vector<std::optional<size_t>> partners;
  for (const StoredRung& rung : a) {
    partners.push_back(place_of(rung, b, taken));
    if (partners.back()) taken[*partners.back()] = true;
  }
  return partners;
}

bool is_slower(const RungChange& rung, double slower) { return rung.ratio.high < 1 - slower; }

bool may_be_slower(const RungChange& rung, double slower) {
  return !is_slower(rung, slower) && rung.ratio.low < 1 - slower;
}

// With so many rounds of each a difference can be seen at all.
uint32_t fewest_rounds(double level) {
  double chance = 1;
  uint32_t n = 0;
  while (n < kMostRounds && chance > (1 - level) / 2) {
    ++n;
    chance = chance * n / (2.0 * (2 * n - 1));  // 1 / (2n choose n)
  }
  return n;
}

// The interval shrinks with the root of the rounds.
uint32_t more_rounds(const RungChange& change, double level, double least) {
  const auto rounds = double(std::min(change.rounds_before, change.rounds_after));
  const double fewest = fewest_rounds(level);
  if (!change.ratio.is_known) return static_cast<uint32_t>(std::max(1.0, fewest - rounds));
  const double wide = std::log(change.ratio.high / change.ratio.low) / 2;
  if (!std::isfinite(wide))  // for rounds of 0: as many again may give it a bound
    return static_cast<uint32_t>(std::clamp(rounds, 1.0, double(kMostRounds)));
  const double wanted = std::max(std::abs(std::log(change.ratio.ratio)), std::log1p(least));
  const double all = std::ceil(rounds * std::pow(wide / wanted, 2));
  return static_cast<uint32_t>(std::clamp(all - rounds, 1.0, double(kMostRounds)));
}

void judge(RungChange& change, double level, double least) {
  using Outcome = RungChange::Outcome;
  const UnpairedComparison& r = change.ratio;
  change.within = std::max(1 - r.low, r.high - 1);
  if (r.low > 1)
    change.outcome = Outcome::faster;
  else if (r.high < 1)
    change.outcome = Outcome::slower;
  else if (change.within <= least)
    change.outcome = Outcome::same;
  else
    change.more_rounds = more_rounds(change, level, least);
}

// Whose shares differ by more than their samples explain; the largest first.
std::vector<std::string> changed_functions(const StoredRung& before, const StoredRung& after) {
  std::vector<std::pair<double, std::string>> found;
  const auto look = [&](const std::string& name, const StoredFunction& a, const StoredFunction& b) {
    const double change = std::abs(b.share - a.share);
    if (change <= std::hypot(a.error, b.error)) return;
    found.emplace_back(
        -change, a.ns && b.ns
                     ? fmt::format("{} {:.0f} -> {:.0f} ns a page", name, *a.ns, *b.ns)
                     : fmt::format("{} {:.1f} -> {:.1f} %", name, 100 * a.share, 100 * b.share));
  };
  if (before.functions.empty() || after.functions.empty()) return {};
  for (const auto& [name, a] : before.functions) {
    const auto b = after.functions.find(name);
    look(name, a, b == after.functions.end() ? StoredFunction{0, a.error, {}} : b->second);
  }
  for (const auto& [name, b] : after.functions)
    if (!before.functions.contains(name)) look(name, {0, b.error, {}}, b);
  std::ranges::sort(found);
  std::vector<std::string> lines;
  for (auto& [change, line] : found)
    if (lines.size() < kMostFunctions) lines.push_back(std::move(line));
  return lines;
}

using Test = UnpairedComparison (*)(std::span<const double>, std::span<const double>, double);

// `level` is lower where so few pairs do not allow it: then nothing is known.
UnpairedComparison in_pairs(std::span<const double> a, std::span<const double> b, double level) {
  const PairedComparison found = compare_paired(b, a, level, Zeros::slowest);
  if (found.level < level) return {.ratio = found.ratio};
  return {found.ratio, found.low, found.high, 1 - found.confidence, true};
}

RungChange compare(const StoredRung& a, const StoredRung& b, double level, double least,
                   Test test) {
  RungChange change{.name = a.name, .unit = a.unit};
  change.rounds_before = a.rounds.size();
  change.rounds_after = b.rounds.size();
  change.before = median(a.rounds);
  change.after = median(b.rounds);
  const bool is_cost = a.unit == kCostUnit;
  change.ratio = is_cost ? test(b.rounds, a.rounds, level) : test(a.rounds, b.rounds, level);
  judge(change, level, least);
  change.functions = changed_functions(a, b);
  return change;
}

// How far the rounds of a rung scatter: the middle half, of the median; of most rungs no further.
std::optional<double> scatter_of(const StoredResult& result) {
  constexpr size_t kLeastRounds = 4;
  std::vector<double> scatters;
  for (const StoredRung& rung : result.rungs) {
    if (rung.rounds.size() < kLeastRounds) continue;
    const Spread spread = spread_of(rung.rounds);
    if (spread.median > 0) scatters.push_back((spread.upper - spread.lower) / spread.median);
  }
  return scatters.empty() ? std::nullopt : std::optional(median(std::move(scatters)));
}

// What was going on, where it differs by so much that it may be why.
void compare_noise(const StoredResult& before, const StoredResult& after,
                   std::vector<FactChange>& changes) {
  constexpr double kLeastSteal = 0.02, kLeastScatter = 0.02;
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  if (before.steal && after.steal && std::abs(*after.steal - *before.steal) >= kLeastSteal)
    changes.push_back({"steal", percent(*before.steal), percent(*after.steal)});
  const auto a = scatter_of(before), b = scatter_of(after);
  if (a && b && std::max(*a, *b) >= kLeastScatter && std::max(*a, *b) >= 2 * std::min(*a, *b))
    changes.push_back({"noise of a round", percent(*a), percent(*b)});
}

std::vector<FactChange> compare_facts(const StoredResult& before, const StoredResult& after) {
  std::vector<FactChange> changes;
  const auto says = [](const StoredResult& of) { return of.host.empty() ? "unknown" : "known"; };
  if (before.host.empty() && after.host.empty()) return {};  // tables never say
  if (before.host.empty() || after.host.empty()) return {{"machine", says(before), says(after)}};
  const auto value = [](const StoredResult& of, const std::string& fact) {
    const auto found = of.host.find(fact);
    return found == of.host.end() ? std::string("unknown") : found->second;
  };
  std::map<std::string, std::string> all = before.host;
  all.insert(after.host.begin(), after.host.end());
  for (const auto& [fact, any] : all)
    if (value(before, fact) != value(after, fact))
      changes.push_back({fact, value(before, fact), value(after, fact)});
  return changes;
}

ResultComparison compare_all(const StoredResult& before, const StoredResult& after, double least,
                             double sure, Test test) {
  ResultComparison result{.before = before.file, .after = after.file};
  std::vector<std::pair<const StoredRung*, const StoredRung*>> pairs;
  const auto partner = partners(before.rungs, after.rungs);
  std::vector<bool> taken(after.rungs.size());
  for (size_t i = 0; i < before.rungs.size(); ++i) {
    const StoredRung& rung = before.rungs[i];
    // In turns it is there without rounds if only one side had it.
    if (!partner[i] || rung.rounds.empty() || after.rungs[*partner[i]].rounds.empty()) {
      result.only_before.push_back(rung.name);
      continue;
    }
    taken[*partner[i]] = true;
    pairs.emplace_back(&rung, &after.rungs[*partner[i]]);
  }
  for (size_t i = 0; i < after.rungs.size(); ++i)
    if (!taken[i]) result.only_after.push_back(after.rungs[i].name);
  result.level = 1 - (1 - sure) / double(std::max<size_t>(pairs.size(), 1));
  for (const auto& [a, b] : pairs)
    result.rungs.push_back(compare(*a, *b, result.level, least, test));
  result.facts = compare_facts(before, after);
  compare_noise(before, after, result.facts);
  for (const StoredResult* side : {&before, &after})
    for (const std::string& doubt : side->doubts)
      result.doubts.push_back(fmt::format("{}: {}", side->file, doubt));
  return result;
}

// Found by its name and settings, or new, without rounds.
StoredRung& rung_in(StoredResult& result, const StoredRung& like) {
  const auto is_it = [&](const StoredRung& rung) {
    return rung.name == like.name && same_settings(rung, like);
  };
  const auto found = std::ranges::find_if(result.rungs, is_it);
  if (found != result.rungs.end()) return *found;
  StoredRung& rung = result.rungs.emplace_back(like);
  rung.rounds.clear();
  return rung;
}

// What describes a result, from the first that there is.
void describe(StoredResult& result, const StoredResult& first) {
  if (!result.kind.empty()) return;
  result = first;
  result.rungs.clear();
  result.doubts.clear();
}

}  // namespace

std::optional<double> rate_in(const StoredResult& result,
                              const std::map<std::string, std::string>& settings,
                              const std::string& unit) {
  const StoredRung wanted{.name = {}, .settings = settings, .unit = unit};
  const auto rung = std::ranges::find_if(
      result.rungs, [&](const StoredRung& candidate) { return same_settings(candidate, wanted); });
  if (rung == result.rungs.end()) return {};
  return median(rung->rounds);
}

ResultComparison compare_results(const StoredResult& before, const StoredResult& after,
                                 double least) {
  return compare_all(before, after, least, 0.95, compare_unpaired);
}

void add_pair(StoredResult& a, StoredResult& b, const StoredResult& of_a,
              const StoredResult& of_b) {
  describe(a, of_a);
  describe(b, of_b);
  const auto partner = partners(of_a.rungs, of_b.rungs);
  for (const StoredRung& rung : of_b.rungs) (void)rung_in(b, rung);
  for (size_t i = 0; i < of_a.rungs.size(); ++i) {
    std::vector<double>& rounds = rung_in(a, of_a.rungs[i]).rounds;
    if (!partner[i]) continue;
    const StoredRung &one = of_a.rungs[i], &other = of_b.rungs[*partner[i]];
    const auto both = std::ptrdiff_t(std::min(one.rounds.size(), other.rounds.size()));
    std::vector<double>& others = rung_in(b, other).rounds;
    rounds.insert(rounds.end(), one.rounds.begin(), one.rounds.begin() + both);
    others.insert(others.end(), other.rounds.begin(), other.rounds.begin() + both);
  }
}

InTurns compare_in_turns(const StoredResult& a, const StoredResult& b, double least) {
  constexpr double kSure = 0.99;  // it is looked at many times
  InTurns turns{compare_all(a, b, least, kSure, in_pairs)};
  turns.comparison.in_turns = true;
  turns.is_final = std::ranges::none_of(turns.comparison.rungs, [](const RungChange& rung) {
    return rung.outcome == RungChange::Outcome::unknown;
  });
  return turns;
}

bool is_told(const ResultComparison& comparison, double slower) {
  return std::ranges::none_of(comparison.rungs,
                              [&](const RungChange& rung) { return may_be_slower(rung, slower); });
}

Assessment assess(const ResultComparison& comparison, std::optional<double> slower) {
  Assessment assessment;
  if (!slower) return assessment;
  const double percent = 100 * *slower;
  const auto doubt = [&](std::string words) {
    assessment.warn(Exit::untrustworthy, std::move(words));
  };
  for (const RungChange& rung : comparison.rungs)
    if (is_slower(rung, *slower))
      assessment.warn(Exit::slower,
                      fmt::format("{} is slower by more than {:g} %", rung.name, percent));
  for (const RungChange& rung : comparison.rungs)
    if (may_be_slower(rung, *slower))
      doubt(fmt::format("{}: it can't be told whether it is slower by {:g} %", rung.name, percent));
  for (const std::string& name : comparison.only_before)
    doubt(fmt::format("{} is not in {}: it can't be told whether it is slower", name,
                      comparison.after));
  if (comparison.rungs.empty()) doubt("there is nothing to compare");
  std::ranges::for_each(comparison.doubts, doubt);
  return assessment;
}

}  // namespace pipetop

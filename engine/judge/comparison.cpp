#include "engine/judge/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/judge/change_rules.h"

namespace pipetop {
namespace {

// A limiting side that waits for less does not wait for the other one.
constexpr double kTakesTurns = 0.25;
// Nothing is known of what hardly ever gets a CPU.
constexpr double kHardlyRuns = 0.95;
// Standard errors.
constexpr double kSure = 2;
// Then a role that has not many samples by now hardly runs.
constexpr uint64_t kLong_ns = 10'000'000'000;
// A part that is known to within this share of the difference need not be known better.
constexpr double kNearEnough = 0.1;

// The time for an item, and the variance of a share of so many samples.
ItemTime time_of(const RoleSpending& role, uint64_t samples) {
  const double n = double(role.samples), on_cpu_ns = role.on_cpu_ns;
  const double likely = (double(samples) + 1) / (n + 2);
  return {on_cpu_ns * double(samples) / n, on_cpu_ns * on_cpu_ns * likely * (1 - likely) / n};
}

// What others take of the CPUs makes all slower alike: that explains no difference.
bool lacks_cpus_alike(const RolePair& pair) {
  const auto &then = pair.before.runnable, &now = pair.after.runnable;
  return then && now && std::abs(*then - *now) < kMuchRunnable &&
         std::max(*then, *now) < kHardlyRuns;
}

std::map<std::string_view, uint64_t> samples_by_name(const RoleSpending& role, Below below) {
  std::map<std::string_view, uint64_t> samples;
  for (const FunctionRow& row : role.functions->rows())
    samples[row.name] = below == Below::itself ? row.self_samples : row.children_samples;
  return samples;
}

}  // namespace

Comparison::Comparison(const Segment& before, const Segment& after, const WorkloadTerms& terms)
    : before_(before),
      after_(after),
      terms_(terms),
      faster_(after.rate->mean >= before.rate->mean) {
  for (const Role role : kBothRoles) {
    if (terms.roles[static_cast<size_t>(role)].empty()) continue;
    roles_.push_back(
        {role, *spending_of(before, role, terms.unit), *spending_of(after, role, terms.unit)});
  }
  if (std::ranges::all_of(roles_, lacks_cpus_alike)) {
    for (RolePair& pair : roles_) {
      pair.before.leave_out_runnable();
      pair.after.leave_out_runnable();
    }
  }
  for (size_t i = 1; i < roles_.size(); ++i)
    if (slow(roles_[i]).waits() < slow(roles_[limiting_]).waits()) limiting_ = i;
  take_turns_ = slow(limiting()).waits() >= kTakesTurns;
  whole_ns_ = std::abs(limiting().before.wall_ns - limiting().after.wall_ns);
}

std::optional<ItemTime> Comparison::gain_of(const std::optional<ItemTime>& before,
                                            const std::optional<ItemTime>& after) const {
  if (!before || !after) return {};
  const double less_ns = before->ns - after->ns;
  return ItemTime{faster_ ? less_ns : -less_ns, before->variance + after->variance};
}

std::optional<ItemTime> Comparison::gain(const RolePair& pair, Work work) const {
  return gain_of(pair.before.time(work), pair.after.time(work));
}

std::optional<ItemTime> Comparison::gain(Work work) const {
  ItemTime sum;
  for (const RolePair& pair : roles_) {
    if (!counts(pair) || (is_waiting(work) && &pair != &limiting())) continue;
    const auto one = gain(pair, work);
    if (!one) return {};
    sum.ns += one->ns;
    sum.variance += one->variance;
  }
  return sum;
}

std::optional<ItemTime> Comparison::gain_of_sleep() const {
  auto sleep = gain(limiting(), Work::sleeping);
  for (const RolePair& pair : roles_) {
    if (!sleep || !take_turns_ || &pair == &limiting()) continue;
    const auto work = gain_of(pair.before.busy(), pair.after.busy());
    if (!work) return {};
    sleep->ns -= std::max(work->ns, 0.0);
    sleep->variance += work->variance;
  }
  return sleep;
}

Half Comparison::is_half(const ItemTime& gain) const {
  const double over_ns = gain.ns - whole_ns_ / 2;
  const double error_ns = kSure * std::sqrt(gain.variance);
  const bool near_enough = error_ns < kNearEnough * whole_ns_;
  if (near_enough || std::abs(over_ns) >= error_ns) return over_ns >= 0 ? Half::yes : Half::no;
  const auto long_enough = [&](const Segment& segment, RoleSpending RolePair::*which) {
    return segment.duration_ns >= kLong_ns ||
           std::ranges::all_of(
               roles_, [&](const RolePair& pair) { return (pair.*which).samples >= kManySamples; });
  };
  if (!long_enough(after_, &RolePair::after)) return Half::more_samples;
  if (!long_enough(before_, &RolePair::before)) return Half::never;
  return over_ns >= 0 ? Half::yes : Half::no;  // as large as the rest: either is right
}

std::vector<FunctionGain> Comparison::functions(const RolePair& pair, Below below) const {
  if (!pair.before.functions || !pair.after.functions) return {};
  const auto before = samples_by_name(pair.before, below),
             after = samples_by_name(pair.after, below);
  std::map<std::string_view, FunctionGain> gains;
  for (const auto* table : {&before, &after}) {
    for (const auto& entry : *table) {
      const std::string_view name = entry.first;
      const auto in = [&](const auto& all) {
        const auto found = all.find(name);
        return found == all.end() ? 0 : found->second;
      };
      const ItemTime then = time_of(pair.before, in(before)), now = time_of(pair.after, in(after));
      gains[name] = {name, *gain_of(then, now), faster_ ? then.ns : now.ns};
    }
  }
  std::vector<FunctionGain> all;
  for (const auto& [name, gain] : gains) all.push_back(gain);
  return all;
}

const FunctionGain* innermost(const std::vector<FunctionGain>& functions, double least_ns) {
  const FunctionGain* found = nullptr;
  for (const FunctionGain& function : functions)
    if (function.gain.ns >= least_ns && (!found || function.slow_ns < found->slow_ns))
      found = &function;
  return found;
}

}  // namespace pipetop

#include "engine/judge/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/judge/evidence.h"

namespace pipetop {
namespace {

// ---- where the time of one segment went ----

using Samples = std::array<uint64_t, kWorks>;

// Each sample once: for the innermost function that says what it is.
Samples samples_of(const CallTree& tree) {
  Samples samples{};
  std::vector<Work> within(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    const Work own = work_of(node.function);
    const Work outer = node.parent == CallNode::kNone ? Work::other : within[node.parent];
    within[i] = includes_callees(own) ? own : outer;
    const Work counted = within[i] == Work::other ? own : within[i];
    samples[static_cast<size_t>(counted)] += node.self;
  }
  return samples;
}

// The time for an item, and the variance of a share of so many samples.
ItemTime time_of(const RoleSpending& role, uint64_t samples) {
  const double n = double(role.samples), on_cpu_ns = role.on_cpu_ns;
  const double share = role.functions->share(samples);
  const double likely = (share * n + 1) / (n + 2);  // 0 of 10 may be 5 %
  return {on_cpu_ns * share, on_cpu_ns * on_cpu_ns * likely * (1 - likely) / n};
}

void add_on_cpu(const SegmentRole& seen, RoleSpending& role) {
  if (!role.on_cpu || !seen.functions.has_value() || seen.functions->samples == 0) return;
  role.functions = &*seen.functions;
  role.samples = seen.functions->effective_samples();
  const Samples samples = samples_of(*seen.functions->tree);
  for (size_t i = 0; i < samples.size(); ++i) role.times[i] = time_of(role, samples[i]);
}

// A time off the CPU is known without samples, and adds to what the samples say.
void add(RoleSpending& role, Work work, double ns) {
  auto& time = role.times[static_cast<size_t>(work)];
  if (!time) time = ItemTime{};
  time->ns += ns;
}

void add_off_cpu(const SegmentRole& seen, RoleSpending& role) {
  if (!role.runnable || !role.blocked) return;
  const SleepParts parts = sleep_parts(seen.blocked).value_or(SleepParts());
  const double blocked_ns = role.wall_ns * *role.blocked;
  add(role, Work::sleeping,
      role.wall_ns * *role.runnable + blocked_ns * (1 - parts.mutex - parts.away));
  if (parts.mutex > 0) add(role, Work::mutex, blocked_ns * parts.mutex);
  if (parts.away > 0) add(role, Work::other, blocked_ns * parts.away);
}

bool asks_in_vain(const RoleTotals& totals) {
  const WorkerCounts& calls = totals.counts;
  const double misses = calls.polls > calls.syscalls ? double(calls.polls - calls.syscalls) : 0;
  return double(calls.eagain) >= kInVain * double(std::max<uint64_t>(calls.syscalls, 1)) ||
         misses >= kInVain * double(std::max<uint64_t>(calls.polls, 1));
}

}  // namespace

bool is_waiting(Work work) {
  return work == Work::sleeping || work == Work::mutex || work == Work::polling;
}

void RoleSpending::leave_out_runnable() {
  const double runnable_ns = wall_ns * runnable.value_or(0);
  auto& sleeping = times[static_cast<size_t>(Work::sleeping)];
  if (sleeping) sleeping->ns -= runnable_ns;
  wall_ns -= runnable_ns;
}

std::optional<ItemTime> RoleSpending::busy() const {
  if (!functions) return {};
  ItemTime sum;
  for (size_t i = 0; i < times.size(); ++i) {
    if (is_waiting(static_cast<Work>(i)) || !times[i]) continue;
    sum.ns += times[i]->ns;
    sum.variance += times[i]->variance;
  }
  return sum;
}

double RoleSpending::waits() const {
  if (totals && asks_in_vain(*totals)) return 1;
  double ns = 0;
  for (const Work work : {Work::sleeping, Work::mutex, Work::polling}) ns += known_ns(work);
  return ns / wall_ns;
}

std::optional<RoleSpending> spending_of(const Segment& segment, Role which, const Unit& unit) {
  if (!segment.rate.has_value() || segment.rate->mean <= 0) return {};
  const SegmentRole& seen = segment.role(which);
  RoleSpending role;
  role.role = which;
  role.wall_ns = seen.processes * 1e9 / (segment.rate->mean * unit.count);
  role.on_cpu = known(seen.shares.on_cpu);
  role.runnable = known(seen.shares.runnable);
  role.blocked = known(seen.shares.blocked);
  role.on_cpu_ns = role.wall_ns * role.on_cpu.value_or(0);
  if (seen.totals.has_value()) role.totals = *seen.totals;
  add_on_cpu(seen, role);
  add_off_cpu(seen, role);
  return role;
}

// ---- two segments ----

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
           std::ranges::all_of(roles_, [&](const RolePair& pair) {
             return (pair.*which).samples >= kEnoughSamples;
           });
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

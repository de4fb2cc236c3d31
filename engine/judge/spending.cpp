#include "engine/judge/spending.h"

#include <algorithm>
#include <vector>

namespace pipetop {
namespace {

// Calls or polls that find nothing: then it does nothing else. See the verdict's rules.
constexpr double kInVain = 0.9;

std::optional<double> value_of(const Reading<double>& share) {
  return share.status == ReadingStatus::ok ? share.value : std::nullopt;
}

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

void add_on_cpu(const SegmentRole& seen, RoleSpending& role) {
  if (!role.on_cpu || !seen.functions.has_value() || seen.functions->samples == 0) return;
  role.functions = &*seen.functions;
  role.samples = seen.functions->samples;
  const Samples samples = samples_of(*seen.functions->tree);
  const double n = double(role.samples), on_cpu_ns = role.on_cpu_ns;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double share = double(samples[i]) / n;
    const double likely = (double(samples[i]) + 1) / (n + 2);  // 0 of 10 may be 5 %
    role.times[i] = {on_cpu_ns * share, on_cpu_ns * on_cpu_ns * likely * (1 - likely) / n};
  }
}

// Parts of the time asleep: below mutex_lock(), and stopped or waiting for a page.
struct SleepParts {
  double mutex = 0, away = 0;
};

SleepParts parts_of_sleep(const Reading<BlockedTable>& blocked) {
  if (!blocked.has_value() || blocked->tree->total == 0) return {};
  const CallTree& tree = *blocked->tree;
  std::vector<int> within(tree.nodes.size());  // 1 mutex, 2 away
  std::array<uint64_t, 3> ns{};
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    const std::string_view name = source_name(node.function.name());
    within[i] = node.parent == CallNode::kNone ? 0 : within[node.parent];
    if (within[i] == 0 && work_of(node.function) == Work::mutex) within[i] = 1;
    if (within[i] == 0 && (name == "get_signal" || name == "handle_mm_fault")) within[i] = 2;
    ns[static_cast<size_t>(within[i])] += node.self;
  }
  const auto total = double(tree.total);
  return {double(ns[1]) / total, double(ns[2]) / total};
}

// A time off the CPU is known without samples, and adds to what the samples say.
void add(RoleSpending& role, Work work, double ns) {
  auto& time = role.times[static_cast<size_t>(work)];
  if (!time) time = ItemTime{};
  time->ns += ns;
}

void add_off_cpu(const SegmentRole& seen, RoleSpending& role) {
  if (!role.runnable || !role.blocked) return;
  const SleepParts parts = parts_of_sleep(seen.blocked);
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
  role.on_cpu = value_of(seen.shares.on_cpu);
  role.runnable = value_of(seen.shares.runnable);
  role.blocked = value_of(seen.shares.blocked);
  role.on_cpu_ns = role.wall_ns * role.on_cpu.value_or(0);
  if (seen.totals.has_value()) role.totals = *seen.totals;
  add_on_cpu(seen, role);
  add_off_cpu(seen, role);
  return role;
}

}  // namespace pipetop

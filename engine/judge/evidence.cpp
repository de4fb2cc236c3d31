#include "engine/judge/evidence.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "engine/judge/glossary.h"

namespace pipetop {
namespace {

// Share of time; an adaptive wait sleeps this much only if it hardly spins.
constexpr double kSleepsOften = 0.25;

std::optional<double> product(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return {};
  return *a * *b;
}

// The slow path and what it calls. Everybody pays for mutex_lock() itself.
bool is_mutex(std::string_view symbol) {
  const std::string_view name = source_name(symbol);
  return name.starts_with("__mutex_lock") || name == "mutex_spin_on_owner" || name == "osq_lock";
}

bool is_spin_lock(std::string_view symbol) {
  return source_name(symbol).ends_with("queued_spin_lock_slowpath");
}

struct Functions {
  const FunctionTable& table;
  std::vector<FunctionRow> rows;
};

// Whether there are enough samples; else notes what is missing.
std::optional<Functions> functions_of(const WorkerReadings& worker, std::optional<double> on_cpu,
                                      Evidence& evidence) {
  const std::string_view role = to_text(worker.role);
  const Reading<FunctionTable>& functions = worker.functions;
  if (functions.status == ReadingStatus::unavailable) {
    evidence.unknown.push_back(fmt::format("{}'s functions ({})", role, functions.reason));
    return {};
  }
  const uint64_t samples = functions.has_value() ? functions->effective_samples() : 0;
  if (samples >= kEnoughSamples) return Functions{*functions, functions->rows()};
  // A process that hardly runs has few samples, but cannot spin for long either.
  if (on_cpu && *on_cpu >= kContends)
    evidence.thin.push_back(fmt::format("{}: {} of {} samples", role, samples, kEnoughSamples));
  return {};
}

// Locks that it waits for, and when it is away.
void judge_locks(const WorkerReadings& worker, const std::optional<Functions>& functions,
                 RoleEvidence& role) {
  std::optional<double> spins;
  if (functions) {
    const double mutex = share_within(functions->table, functions->rows, is_mutex);
    const double other = share_within(functions->table, functions->rows, is_spin_lock);
    spins = product(role.on_cpu, std::max(mutex, other));
    role.spin_lock = other > mutex;
  }
  std::optional<double> sleeps;
  if (const auto parts = sleep_parts(worker.blocked)) {
    sleeps = product(role.blocked, parts->mutex);
    role.away = product(role.blocked, parts->away);
  }
  role.sleeps_for_mutex = sleeps;
  if (spins || sleeps) role.contends = spins.value_or(0) + sleeps.value_or(0);
}

// A process that waits by spinning may also be runnable; its share of waiting is
// that of the time it gets.
std::optional<Waiting> waiting_of(Wait wait, const WorkerReadings& worker,
                                  const RoleEvidence& role) {
  using Of = Waiting::Of;
  const auto waiting = [](std::optional<double> share, Of of, const char* words) {
    return share ? std::optional(Waiting{*share, of, words}) : std::nullopt;
  };
  const auto misses = [&] { return waiting(known(worker.eagain_share), Of::calls, "EAGAIN"); };
  if (wait == Wait::busy) return misses();
  if (wait == Wait::busy_poll) return waiting(known(worker.poll_miss_share), Of::polls, "misses");
  // It either sleeps while it waits, or retries without sleeping.
  if (wait == Wait::adaptive && role.blocked.value_or(0) < kSleepsOften) {
    const auto spins = misses();
    if (spins && spins->share > role.blocked.value_or(0)) return spins;
  }
  if (!role.blocked) return {};
  return waiting(*role.blocked - role.away.value_or(0), Of::time, "blocked");
}

void judge_sleeps(const WorkerReadings& worker, const Throughput& throughput, RoleEvidence& role) {
  std::optional<double> switches = known(worker.voluntary_switches_per_s);
  if (!switches) switches = known(worker.context_switches_per_s);
  if (!switches || *switches <= 0) return;
  if (role.blocked) role.sleep_ns = *role.blocked * 1e9 / *switches;
  if (const auto rate = known(throughput.over_1s)) role.bytes_per_switch = *rate * kGiB / *switches;
}

void gather_role(const Snapshot& s, Role which, Evidence& evidence) {
  const WorkerReadings& worker = s.worker(which);
  RoleEvidence& role = evidence.roles[static_cast<size_t>(which)];
  role.role = which;
  role.on_cpu = known(worker.shares.on_cpu);
  role.runnable = known(worker.shares.runnable);
  role.blocked = known(worker.shares.blocked);
  if (worker.shares.on_cpu.status == ReadingStatus::unavailable)
    evidence.unknown.push_back(
        fmt::format("{}'s time ({})", to_text(which), worker.shares.on_cpu.reason));
  if (worker.last_cpu.status == ReadingStatus::ok) role.cpu = worker.last_cpu.value;
  const std::optional<Functions> functions = functions_of(worker, role.on_cpu, evidence);
  judge_locks(worker, functions, role);
  judge_sleeps(worker, s.throughput, role);
  role.waits = waiting_of(wait_of(s.effective.settings.pipe, which), worker, role);
}

void gather_ring(const Snapshot& s, Evidence& evidence) {
  const Reading<Occupancy>& occupancy = s.ring.occupancy;
  if (occupancy.status == ReadingStatus::unavailable)
    return evidence.unknown.push_back(fmt::format("the ring ({})", occupancy.reason));
  // It waits for the mutex, so it samples when neither side holds it: a biased and
  // small sample.
  if (occupancy.has_value() && occupancy->source.starts_with("FIONREAD"))
    return evidence.unknown.push_back("the ring (FIONREAD sees it only while the mutex is free)");
  const uint64_t samples = occupancy.has_value() ? occupancy->samples : 0;
  if (samples < kEnoughSamples)
    return evidence.thin.push_back(fmt::format("ring: {} of {} samples", samples, kEnoughSamples));
  evidence.ring = {occupancy->empty_share, occupancy->full_share};
}

}  // namespace

std::optional<SleepParts> sleep_parts(const Reading<BlockedTable>& blocked) {
  if (blocked.status != ReadingStatus::ok || blocked->tree->total == 0) return {};
  enum Part : uint8_t { other, mutex, away };
  const CallTree& tree = *blocked->tree;
  std::vector<Part> within(tree.nodes.size());
  std::array<uint64_t, 3> ns{};
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CallNode& node = tree.nodes[i];
    within[i] = node.parent == CallNode::kNone ? other : within[node.parent];
    const std::string_view name = source_name(node.function.name());
    if (within[i] == other && work_of(node.function) == Work::mutex && !name.starts_with("rwsem_"))
      within[i] = mutex;
    if (within[i] == other && (name == "get_signal" || name == "handle_mm_fault")) within[i] = away;
    ns[within[i]] += node.self;
  }
  const auto total = double(tree.total);
  return SleepParts{double(ns[mutex]) / total, double(ns[away]) / total};
}

Evidence gather_evidence(const Snapshot& s) {
  Evidence evidence;
  for (const Role role : {Role::writer, Role::reader}) gather_role(s, role, evidence);
  gather_ring(s, evidence);
  return evidence;
}

}  // namespace pipetop

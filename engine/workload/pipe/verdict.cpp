// The rules, in order. Shares are of wall time unless noted otherwise. The first
// matching rule gives the verdict; a rule must not use an unknown number.
//
//   rule          holds when                          because
//   cpu-bound     both ran last on one CPU, and fill  they take turns, and more CPU is
//                 it >= kFillsCpu together, or one    what they need
//                 is runnable >= kSharesCpu
//                 or: each is runnable >= kSharesCpu, other processes hold the CPUs
//                 and on average >= kNoCpu
//   writer-bound  the writer is runnable >= kNoCpu,   it would move data if it had a CPU;
//                 the reader less than kSharesCpu,    what the reader waits for is late
//                 and that one waits for the writer,  only because of that
//                 or for the mutex, >= kWaits
//   reader-bound  the mirror image
//   wakeup-bound  each is blocked >= kSleeps, for     a limiting side would not sleep:
//                 kShortSleepNs at most on average    time is lost between the two
//   writer-bound  ring empty >= kOneSided, and the    data is taken as soon as there
//                 reader waits                        is any
//   reader-bound  the mirror image: ring full, and the writer waits
//   lock-bound    one of the two contends for the     without the lock it would do a
//                 pipe's mutex >= kContends           third more
//   writer-bound  the writer hardly ever waits, the   a weaker sign than the ring, but
//                 reader does, and the ring, if it    works without BPF; after the lock,
//                 is known, is more empty than full   because spinning is waiting for it
//   reader-bound  the mirror image
//   writer-bound  ring empty >= kOneSided, and the    the data that the reader needs is
//                 writer is idle >= kIdle             not produced; how the reader waits
//                                                     need not be known
//   reader-bound  the mirror image: ring full, and the reader is idle
#include "engine/workload/pipe/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/pipe/verdict_evidence.h"

namespace pipetop {
namespace {

// Two workers that share a CPU fill it, unless others use it, too. Then each waits for it half of
// the time, or one waits for both; or none, if each sleeps while the other runs.
constexpr double kFillsCpu = 0.9;
constexpr double kSharesCpu = 0.25;
// Then it was a coincidence that both ran there last.
constexpr double kMoreThanOneCpu = 1.05;
// Most of the time: anything else matters less.
constexpr double kNoCpu = 0.45;

// The slower of two almost never sleeps.
constexpr double kSleeps = 0.15;
// A wakeup takes 5 us, up to 50 us in a virtual machine: whoever sleeps for more
// than twice that was waiting for something else.
constexpr double kShortSleepNs = 100'000;

// Far from the even split that wakeups and locks produce.
constexpr double kOneSided = 0.75;
// Most of that time.
constexpr double kWaits = 0.5;
// Calls that move nothing are short, so even many take little time: one that moves data
// may well take as long as ten that do not, however dear a system call is.
constexpr double kWaitsOfCalls = 0.9;

// The limiting side, and the other one.
constexpr double kHardlyWaits = 0.05;
constexpr double kOtherWaits = 0.25;

// Then it is idle for at least half of the time while the ring is like this.
constexpr double kIdle = 0.75;

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

bool at_least(std::optional<double> share, double limit) { return share && *share >= limit; }

bool waits(const RoleEvidence& role, double limit) {
  if (!role.waits) return false;
  return role.waits->share >= (role.waits->of == Waiting::Of::time ? limit : kWaitsOfCalls);
}

std::string waits_text(const RoleEvidence& role) {
  constexpr std::array kOf = {"", " of its polls", " of its calls"};
  return fmt::format("{} {} {}{}", to_text(role.role), role.waits->words,
                     percent(role.waits->share), kOf[static_cast<size_t>(role.waits->of)]);
}

// For the slow side: perhaps it is only short of CPU time.
std::string want_text(const RoleEvidence& role) {
  if (!at_least(role.runnable, kSharesCpu)) return {};
  return fmt::format("; {} runnable {}", to_text(role.role), percent(*role.runnable));
}

std::string amount(double bytes) {
  const double kib = bytes / 1024;
  return kib < 1000 ? fmt::format("{:.0f} KiB", kib) : fmt::format("{:.3g} MiB", kib / 1024);
}

std::string ring_text(const RingEvidence& ring) {
  return fmt::format("ring empty {}, full {}", percent(ring.empty_share), percent(ring.full_share));
}

std::optional<Verdict> shared_cpu(const Evidence& e) {
  const auto& [writer, reader] = e.roles;
  if (!writer.cpu || writer.cpu != reader.cpu) return {};
  if (!writer.on_cpu || !reader.on_cpu || !writer.runnable || !reader.runnable) return {};
  const double together = *writer.on_cpu + *reader.on_cpu;
  const double waits = std::max(*writer.runnable, *reader.runnable);
  if (together > kMoreThanOneCpu || (together < kFillsCpu && waits < kSharesCpu)) return {};
  return Verdict{Bound::cpu,
                 fmt::format("both on CPU {}: writer runs {} and waits for it {}, "
                             "reader {} and {}",
                             *writer.cpu, percent(*writer.on_cpu), percent(*writer.runnable),
                             percent(*reader.on_cpu), percent(*reader.runnable))};
}

std::optional<Verdict> no_cpu(const Evidence& e) {
  const auto& [writer, reader] = e.roles;
  if (!at_least(writer.runnable, kSharesCpu) || !at_least(reader.runnable, kSharesCpu)) return {};
  if (*writer.runnable + *reader.runnable < 2 * kNoCpu) return {};
  return Verdict{Bound::cpu,
                 fmt::format("other processes hold the CPUs: writer runnable {}, reader {}",
                             percent(*writer.runnable), percent(*reader.runnable))};
}

// The rules for one limiting side also hold for the other, mirrored.

constexpr Role other_than(Role role) { return role == Role::writer ? Role::reader : Role::writer; }
constexpr Bound bound_by(Role role) { return role == Role::writer ? Bound::writer : Bound::reader; }

// What `role` waits with, for the other one or for a lock that the other may hold; "" if it does
// not.
std::string waiting_text(const RoleEvidence& role) {
  if (waits(role, kWaits)) return waits_text(role);
  const double spins = role.contends.value_or(0) - role.sleeps_for_mutex.value_or(0);
  if (role.blocked.value_or(0) + spins < kWaits) return {};
  return fmt::format("{} blocked {}, mutex {}", to_text(role.role),
                     percent(role.blocked.value_or(0)), percent(role.contends.value_or(0)));
}

template <Role limit>
std::optional<Verdict> no_cpu_for(const Evidence& e) {
  const RoleEvidence& slow = e.role(limit);
  const RoleEvidence& fast = e.role(other_than(limit));
  if (!at_least(slow.runnable, kNoCpu) || at_least(fast.runnable, kSharesCpu)) return {};
  const std::string other = waiting_text(fast);
  if (other.empty()) return {};
  return Verdict{bound_by(limit), fmt::format("{} waits for a CPU {}; {}", to_text(limit),
                                              percent(*slow.runnable), other)};
}

std::optional<Verdict> wakeups(const Evidence& e) {
  for (const RoleEvidence& role : e.roles)
    if (!at_least(role.blocked, kSleeps) || !role.sleep_ns || *role.sleep_ns > kShortSleepNs)
      return {};
  const auto& [writer, reader] = e.roles;
  std::string because =
      fmt::format("writer sleeps {}, reader {}, for {:.0f} and {:.0f} us", percent(*writer.blocked),
                  percent(*reader.blocked), *writer.sleep_ns / 1e3, *reader.sleep_ns / 1e3);
  if (reader.bytes_per_switch)
    because += fmt::format("; {} moved per wakeup", amount(*reader.bytes_per_switch));
  return Verdict{Bound::wakeup, because};
}

// The state that a limiting role keeps the ring in, and its share of the time.
const char* ring_state(Role limit) { return limit == Role::writer ? "empty" : "full"; }
double ring_share(const RingEvidence& ring, Role limit) {
  return limit == Role::writer ? ring.empty_share : ring.full_share;
}

template <Role limit>
std::optional<Verdict> one_sided_ring(const Evidence& e) {
  const RoleEvidence& other = e.role(other_than(limit));
  if (!e.ring || ring_share(*e.ring, limit) < kOneSided || !waits(other, kWaits)) return {};
  return Verdict{bound_by(limit), fmt::format("ring {} {}; {}{}", ring_state(limit),
                                              percent(ring_share(*e.ring, limit)),
                                              waits_text(other), want_text(e.role(limit)))};
}

std::optional<Verdict> locks(const Evidence& e) {
  const auto& [writer, reader] = e.roles;
  if (!at_least(writer.contends, kContends) && !at_least(reader.contends, kContends)) return {};
  const RoleEvidence& more =
      writer.contends.value_or(0) >= reader.contends.value_or(0) ? writer : reader;
  const RoleEvidence& less = &more == &writer ? reader : writer;
  std::string because =
      fmt::format("{} {} {} {}", to_text(more.role),
                  more.sleeps_for_mutex.value_or(0) >= 0.01 ? "waits for" : "spins on",
                  more.spin_lock ? "a spin lock" : "the pipe's mutex", percent(*more.contends));
  if (less.contends) because += fmt::format(", {} {}", to_text(less.role), percent(*less.contends));
  if (e.ring) because += "; " + ring_text(*e.ring);
  return Verdict{Bound::lock, because};
}

template <Role limit>
std::optional<Verdict> only_other_waits(const Evidence& e) {
  if (e.ring && ring_share(*e.ring, limit) <= ring_share(*e.ring, other_than(limit))) return {};
  const RoleEvidence& busy = e.role(limit);
  const RoleEvidence& idle = e.role(other_than(limit));
  if (!busy.waits || busy.waits->share > kHardlyWaits || !waits(idle, kOtherWaits)) return {};
  return Verdict{bound_by(limit),
                 fmt::format("{}, {}{}", waits_text(idle), waits_text(busy), want_text(busy))};
}

// A lower bound: without a CPU, or asleep for longer than a wakeup takes and not on the pipe's
// mutex.
double idle(const RoleEvidence& role) {
  const bool sleeps_long = role.sleep_ns && *role.sleep_ns > kShortSleepNs;
  const bool known = role.blocked && role.sleeps_for_mutex;
  return role.runnable.value_or(0) +
         (sleeps_long && known ? *role.blocked - *role.sleeps_for_mutex : 0);
}

template <Role limit>
std::optional<Verdict> does_nothing(const Evidence& e) {
  const RoleEvidence& slow = e.role(limit);
  if (!e.ring || idle(slow) < kIdle || ring_share(*e.ring, limit) < kOneSided) return {};
  return Verdict{bound_by(limit), fmt::format("ring {} {}; {} idle {}{}", ring_state(limit),
                                              percent(ring_share(*e.ring, limit)), to_text(limit),
                                              percent(idle(slow)), want_text(slow))};
}

using Rule = std::optional<Verdict> (*)(const Evidence&);

std::optional<Verdict> first_of(std::initializer_list<Rule> rules, const Evidence& e) {
  for (const Rule rule : rules)
    if (auto verdict = rule(e)) return verdict;
  return {};
}

// Why there is nothing to judge, "" if there is.
std::string nothing_flows(const Snapshot& s) {
  if (s.effective.settings.pipe.slow_motion) return "slow motion: pipetop sets the pace";
  for (const WorkerView& worker : s.workers)
    if (worker.state != ProcessState::flowing)
      return fmt::format("the {} is not running freely{}{}", to_text(worker.role),
                         worker.state_reason.empty() ? "" : ": ", worker.state_reason);
  return {};
}

// Why it is too early, "" if it is not.
std::string too_early(const Snapshot& s) {
  if (!s.effective.settled) return "the settings are not in effect yet";
  const uint64_t since_ns = s.now_ns - std::min(s.now_ns, s.throughput.current.begin_ns);
  if (since_ns < kVerdictTakesNs)
    return fmt::format("{:.1f} s since the change, {:.0f} s needed", double(since_ns) / 1e9,
                       double(kVerdictTakesNs) / 1e9);
  for (const WorkerView& worker : s.workers)
    if (worker.shares.on_cpu.status == ReadingStatus::warming)
      return fmt::format("{}'s time: {}", to_text(worker.role), worker.shares.on_cpu.reason);
  return {};
}

std::string role_text(const RoleEvidence& role) {
  std::string text(to_text(role.role));
  const auto add = [&](const char* what, std::optional<double> share) {
    text += fmt::format(" {} {}", what, share ? percent(*share) : "?");
  };
  add("on CPU", role.on_cpu);
  add("runnable", role.runnable);
  add("blocked", role.blocked);
  add("mutex", role.contends);
  return text;
}

std::string nothing_sticks_out(const Evidence& e) {
  std::string text =
      fmt::format("no single bottleneck: {}, {}", role_text(e.roles[0]), role_text(e.roles[1]));
  if (e.ring) text += "; " + ring_text(*e.ring);
  if (!e.unknown.empty()) text += fmt::format("; unknown: {}", fmt::join(e.unknown, ", "));
  return text;
}

}  // namespace

std::string_view to_text(Bound bound) {
  constexpr std::array<std::string_view, 5> kBounds = {"writer-bound", "reader-bound", "lock-bound",
                                                       "wakeup-bound", "cpu-bound"};
  return kBounds[static_cast<size_t>(bound)];
}

Reading<Verdict> judge_bound(const Snapshot& s) {
  using Judged = Reading<Verdict>;
  if (std::string why = nothing_flows(s); s.effective.settled && !why.empty())
    return Judged::unavailable(std::move(why));
  if (s.requested.observers == Observing::off)
    return Judged::unavailable(std::string(why_of(kObserversOff)));
  if (std::string why = too_early(s); !why.empty()) return Judged::warming(std::move(why));
  const Evidence e = gather_evidence(s);
  constexpr Role w = Role::writer, r = Role::reader;
  if (auto verdict = first_of({shared_cpu, no_cpu, no_cpu_for<w>, no_cpu_for<r>, wakeups}, e))
    return Judged::of(*verdict);
  // The rules above can do without samples. Below, a rule with too few samples must not
  // pass the verdict on to the next rule.
  if (!e.thin.empty())
    return Judged::warming(fmt::format("too few samples yet: {}", fmt::join(e.thin, ", ")));
  if (auto verdict = first_of({one_sided_ring<w>, one_sided_ring<r>, locks, only_other_waits<w>,
                               only_other_waits<r>, does_nothing<w>, does_nothing<r>},
                              e))
    return Judged::of(*verdict);
  return Judged::unavailable(nothing_sticks_out(e));
}

}  // namespace pipetop

// The rules, in order; those for the writer also hold for the reader, mirrored. Shares are of wall
// time unless noted otherwise. The first matching rule gives the verdict; a rule must not use an
// unknown number.
//
//   writer-bound  the writer is away >= kAway, the    it neither works nor waits: it is
//                 reader less than kLacksCpu          stopped, frozen or reads from disk
//   cpu-bound     both ran last on one CPU, and fill  they take turns, and more CPU is
//                 it >= kFillsCpu together, or one    what they need
//                 is runnable >= kLacksCpu, and the
//                 other, too, or runs half as long
//                 or: each is runnable >= kLacksCpu, both would do more with a CPU
//                 and on average >= kStarves
//                 but not if only one wastes its CPU  it would waste one of its own, too
//   writer-bound  the writer is runnable >= kStarves; it would move data if it had a CPU;
//                 the reader less than kLacksCpu or  what the reader waits for is late
//                 half of that, or wastes its CPU;    only because of that
//                 the reader waits for the writer,
//                 or for the mutex, >= kMostlyWaits
//   wakeup-bound  each sleeps >= kSleeps for the      a limiting side would not sleep:
//                 other, for kShortSleep_ns at most    time is lost between the two
//                 on average, or longer than that
//                 one is away and without a CPU
//   writer-bound  ring empty >= kOneSided, and the    data is taken as soon as there
//                 reader waits, or asks for more      is any
//   lock-bound    one of the two contends for the     without the lock it would do a
//                 pipe's mutex >= kContends, and the  third more; but the other one may hold
//                 other is runnable < kStarves        it without a CPU
//   writer-bound  the writer hardly ever waits, the   a weaker sign than the ring, but
//                 reader does, and the ring, if it    works without BPF; after the lock,
//                 is known, is more empty than full   because spinning is waiting for it
//   writer-bound  ring empty >= kOneSided, and the    the data that the reader needs is
//                 writer is away or without a CPU     not produced; how the reader waits
//                 >= kIdle                            need not be known
// System calls and wakeups may cost ten times as much elsewhere, so limits are shares. Only the
// lengths of sleeps are not; they can withhold a wakeup-bound.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/judge/advice.h"
#include "engine/judge/evidence.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

// Most of the time: even if the rest were free, it could at most double the rate.
constexpr double kAway = 0.5;

// Two workers that share a CPU fill it, unless others use it, too. Then one waits for it, or both
// do; or none, if each sleeps while the other runs.
constexpr double kFillsCpu = 0.9;
// Then it was a coincidence that both ran there last.
constexpr double kMoreThanOneCpu = 1.05;
// Most of the time: anything else matters less.
constexpr double kStarves = 0.45;

// The slower of two almost never sleeps.
constexpr double kSleeps = 0.15;
// A wakeup takes 5 us, up to 50 us in a virtual machine. Whoever sleeps for more than twice that
// may wait for something else, unless it is known what the other one did meanwhile.
constexpr double kShortSleep_ns = 100'000;
// Even where it takes ten times as long.
constexpr double kLongestWakeup_ns = 1'000'000;

// Far from the even split that wakeups and locks produce.
constexpr double kOneSided = 0.75;
// Most of that time.
constexpr double kMostlyWaits = 0.5;
// The limiting side, and the other one.
constexpr double kHardlyWaits = 0.05;
constexpr double kOtherWaits = 0.25;

// Then it is idle for at least half of the time while the ring is like this.
constexpr double kIdle = 0.75;

bool at_least(std::optional<double> share, double limit) { return share && *share >= limit; }

bool spins(const RoleEvidence& role) { return role.waits && role.waits->of != Waiting::Of::time; }

bool waits_in_vain(const RoleEvidence& role) { return spins(role) && role.waits->share >= kInVain; }

bool waits(const RoleEvidence& role, double limit) {
  return waits_in_vain(role) || (role.waits && !spins(role) && role.waits->share >= limit);
}

std::string waits_text(const RoleEvidence& role) {
  constexpr std::array kOf = {"", " of its polls", " of its calls"};
  return fmt::format("{} {} {}{}", to_text(role.role), role.waits->words,
                     percent(role.waits->share), kOf[static_cast<size_t>(role.waits->of)]);
}

std::string ring_text(const RingEvidence& ring) {
  return fmt::format("ring empty {}, full {}", percent(ring.empty_share), percent(ring.full_share));
}

// For the slow side: perhaps it is only short of CPU time.
std::string want_text(const RoleEvidence& role) {
  if (!at_least(role.runnable, kLacksCpu)) return {};
  return fmt::format("; {} runnable {}", to_text(role.role), percent(*role.runnable));
}

// A little CPU time may all be in vain: the other one had none just then. Nor does it have
// enough to waste if it waits for it more than twice as long.
bool wastes_cpu(const RoleEvidence& role) {
  return waits_in_vain(role) &&
         at_least(role.on_cpu, std::max(kLacksCpu, role.runnable.value_or(0) / 2));
}

bool one_wastes_cpu(const Evidence& e) { return wastes_cpu(e.roles[0]) != wastes_cpu(e.roles[1]); }

// On one CPU. If something else has most of it, both wait for that; if only one does, something
// else holds that one up.
bool take_turns(const RoleEvidence& waiting, const RoleEvidence& other) {
  return *waiting.runnable >= kLacksCpu &&
         (*other.on_cpu >= *waiting.runnable / 2 || *other.runnable >= kLacksCpu);
}

std::optional<Verdict> shared_cpu(const Evidence& e) {
  const auto& [writer, reader] = e.roles;
  if (!writer.cpu || writer.cpu != reader.cpu) return {};
  if (!writer.on_cpu || !reader.on_cpu || !writer.runnable || !reader.runnable) return {};
  const double together = *writer.on_cpu + *reader.on_cpu;
  if (together > kMoreThanOneCpu || one_wastes_cpu(e)) return {};
  if (together < kFillsCpu && !take_turns(writer, reader) && !take_turns(reader, writer)) return {};
  return Verdict{Verdict::Kind::cpu,
                 fmt::format("both on CPU {}: writer runs {} and is runnable {}, "
                             "reader {} and {}",
                             *writer.cpu, percent(*writer.on_cpu), percent(*writer.runnable),
                             percent(*reader.on_cpu), percent(*reader.runnable))};
}

std::optional<Verdict> no_cpu(const Evidence& e) {
  const auto& [writer, reader] = e.roles;
  if (!at_least(writer.runnable, kLacksCpu) || !at_least(reader.runnable, kLacksCpu)) return {};
  if (*writer.runnable + *reader.runnable < 2 * kStarves || one_wastes_cpu(e)) return {};
  return Verdict{Verdict::Kind::cpu,
                 fmt::format("both wait for CPUs: writer runnable {}, reader {}",
                             percent(*writer.runnable), percent(*reader.runnable))};
}

constexpr Role other_than(Role role) { return role == Role::writer ? Role::reader : Role::writer; }
constexpr Verdict::Kind bound_by(Role role) {
  return role == Role::writer ? Verdict::Kind::writer : Verdict::Kind::reader;
}

template <Role limit>
std::optional<Verdict> away(const Evidence& e) {
  const RoleEvidence& slow = e.role(limit);
  if (!at_least(slow.away, kAway) || at_least(e.role(other_than(limit)).away, kLacksCpu)) return {};
  std::string because =
      fmt::format("{} asleep {}, not because of the pipe", to_text(limit), percent(*slow.away));
  if (e.ring) because += "; " + ring_text(*e.ring);
  return Verdict{bound_by(limit), because};
}

// What `role` waits with, for the other one or for its lock; "" if it does not.
std::string waiting_text(const RoleEvidence& role) {
  if (waits(role, kMostlyWaits)) return waits_text(role);
  const double spins = role.contends.value_or(0) - role.sleeps_for_mutex.value_or(0);
  const double blocked = role.blocked.value_or(0) - role.away.value_or(0);
  if (blocked + spins < kMostlyWaits) return {};
  return fmt::format("{} blocked {}, mutex {}", to_text(role.role), percent(blocked),
                     percent(role.contends.value_or(0)));
}

template <Role limit>
std::optional<Verdict> no_cpu_for(const Evidence& e) {
  const RoleEvidence& slow = e.role(limit);
  const RoleEvidence& fast = e.role(other_than(limit));
  if (!at_least(slow.runnable, kStarves)) return {};
  // Then it lacks one, too.
  if (at_least(fast.runnable, std::max(kLacksCpu, *slow.runnable / 2)) && !wastes_cpu(fast))
    return {};
  const std::string other = waiting_text(fast);
  if (other.empty()) return {};
  return Verdict{bound_by(limit), fmt::format("{} waits for a CPU {}; {}", to_text(limit),
                                              percent(*slow.runnable), other)};
}

double sleeps(const RoleEvidence& role) { return *role.blocked - role.away.value_or(0); }

// Long sleeps count as far as the other one could have gone on.
bool sleeps_between(const RoleEvidence& role, const RoleEvidence& other, bool shortly) {
  if (!role.blocked || !role.sleep_ns) return false;
  if (shortly) return *role.sleep_ns <= kShortSleep_ns && sleeps(role) >= kSleeps;
  return *role.sleep_ns <= kLongestWakeup_ns && role.away && other.away && other.runnable &&
         sleeps(role) - *other.away - *other.runnable >= kSleeps;
}

std::optional<Verdict> wakeups(const Evidence& e) {
  const auto both = [&](bool shortly) {
    return sleeps_between(e.roles[0], e.roles[1], shortly) &&
           sleeps_between(e.roles[1], e.roles[0], shortly);
  };
  if (!both(true) && !both(false)) return {};
  const auto& [writer, reader] = e.roles;
  std::string because =
      fmt::format("writer sleeps {}, reader {}, for {:.0f} and {:.0f} us", percent(*writer.blocked),
                  percent(*reader.blocked), *writer.sleep_ns / 1e3, *reader.sleep_ns / 1e3);
  if (reader.bytes_per_switch)
    because += fmt::format("; {} moved per wakeup", bytes_text(*reader.bytes_per_switch));
  return Verdict{Verdict::Kind::wakeup, because};
}

bool contend(const Evidence& e) {
  return at_least(e.roles[0].contends, kContends) || at_least(e.roles[1].contends, kContends);
}

// The state that a limiting role keeps the ring in, and its share of the time.
const char* ring_state(Role limit) { return limit == Role::writer ? "empty" : "full"; }
double ring_share(const RingEvidence& ring, Role limit) {
  return limit == Role::writer ? ring.empty_share : ring.full_share;
}

// With a ring like this, whoever does not sleep has nothing to do but to ask for it, unless it
// waits for the lock.
bool asks(const Evidence& e, const RoleEvidence& role) {
  if (!spins(role) || !role.on_cpu || !role.contends) return false;
  return *role.on_cpu + role.runnable.value_or(0) >= kOneSided && !contend(e);
}

template <Role limit>
std::optional<Verdict> one_sided_ring(const Evidence& e) {
  const RoleEvidence& other = e.role(other_than(limit));
  if (!e.ring || ring_share(*e.ring, limit) < kOneSided) return {};
  if (!waits(other, kMostlyWaits) && !asks(e, other)) return {};
  return Verdict{bound_by(limit), fmt::format("ring {} {}; {}{}", ring_state(limit),
                                              percent(ring_share(*e.ring, limit)),
                                              waits_text(other), want_text(e.role(limit)))};
}

std::optional<Verdict> locks(const Evidence& e) {
  if (!contend(e)) return {};
  const auto& [writer, reader] = e.roles;
  const RoleEvidence& more =
      writer.contends.value_or(0) >= reader.contends.value_or(0) ? writer : reader;
  const RoleEvidence& less = &more == &writer ? reader : writer;
  if (at_least(less.runnable, kStarves)) return {};
  std::string because =
      fmt::format("{} {} {} {}", to_text(more.role),
                  more.sleeps_for_mutex.value_or(0) >= 0.01 ? "waits for" : "spins on",
                  more.spin_lock ? "a spin lock" : "the pipe's mutex", percent(*more.contends));
  if (less.contends) because += fmt::format(", {} {}", to_text(less.role), percent(*less.contends));
  if (e.ring) because += "; " + ring_text(*e.ring);
  return Verdict{Verdict::Kind::lock, because};
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

// At least: it neither worked nor waited.
double idle(const RoleEvidence& role) { return role.runnable.value_or(0) + role.away.value_or(0); }

template <Role limit>
std::optional<Verdict> does_nothing(const Evidence& e) {
  const RoleEvidence& slow = e.role(limit);
  if (!e.ring || idle(slow) < kIdle || ring_share(*e.ring, limit) < kOneSided) return {};
  return Verdict{bound_by(limit), fmt::format("ring {} {}; {} idle {}{}", ring_state(limit),
                                              percent(ring_share(*e.ring, limit)), to_text(limit),
                                              percent(idle(slow)), want_text(slow))};
}

using Rule = std::optional<Verdict> (*)(const Evidence&);
constexpr Role w = Role::writer, r = Role::reader;

// Why there is nothing to judge, "" if there is.
std::string nothing_flows(const Snapshot& s) {
  if (s.effective.settings.pipe.slow_motion) return "slow motion: pipetop sets the pace";
  for (const WorkerReadings& worker : s.workers)
    if (worker.state != ProcessState::flowing)
      return fmt::format("the {} does not run freely{}{}", to_text(worker.role),
                         worker.state_reason.empty() ? "" : ": ", worker.state_reason);
  return {};
}

// Why it is too early, "" if it is not.
std::string too_early(const Snapshot& s) {
  if (!s.effective.settled) return "the settings are not in effect yet";
  const uint64_t since_ns = s.now_ns - std::min(s.now_ns, s.throughput.current.begin_ns);
  if (since_ns < kVerdictTakes_ns)
    return fmt::format("{:.1f} s since the change, {:.0f} s needed", double(since_ns) / 1e9,
                       double(kVerdictTakes_ns) / 1e9);
  for (const WorkerReadings& worker : s.workers)
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

Reading<Verdict> judge_pair(const Snapshot& s) {
  using Judged = Reading<Verdict>;
  if (std::string why = nothing_flows(s); s.effective.settled && !why.empty())
    return Judged::unavailable(std::move(why));
  if (s.requested.observers == Observing::off)
    return Judged::unavailable(std::string(why_of(kObserversOff)));
  if (std::string why = too_early(s); !why.empty()) return Judged::warming(std::move(why));
  const Evidence e = gather_evidence(s);
  const auto said = [&](Verdict verdict) {
    verdict.advice = advice_on(s, e, verdict);
    return Judged::of(std::move(verdict));
  };
  if (auto verdict = first_of<Rule>(
          {away<w>, away<r>, shared_cpu, no_cpu, no_cpu_for<w>, no_cpu_for<r>, wakeups}, e))
    return said(*std::move(verdict));
  // A rule with too few samples must not pass the verdict on to the next rule.
  if (!e.thin.empty())
    return Judged::warming(fmt::format("too few samples yet: {}", fmt::join(e.thin, ", ")));
  if (auto verdict =
          first_of<Rule>({one_sided_ring<w>, one_sided_ring<r>, locks, only_other_waits<w>,
                          only_other_waits<r>, does_nothing<w>, does_nothing<r>},
                         e))
    return said(*std::move(verdict));
  return Judged::unavailable(nothing_sticks_out(e));
}

}  // namespace pipetop

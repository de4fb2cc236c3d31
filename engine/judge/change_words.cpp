#include "engine/judge/change_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/numbers.h"

namespace pipetop {
namespace {

// A function tells all of a work's gain if it has so much of it.
constexpr double kTells = 0.8;
// A gain beside the cause is worth naming if the function had so much of the samples, and lost at
// least half of its time.
constexpr double kWorthNaming = 0.05;
// Calls are fewer by at least that.
constexpr double kClearlyFewer = 1.2;

struct WorkWords {
  Work work;
  const char *less, *none, *more, *some;
};
constexpr WorkWords kWords[] = {
    {Work::copying, "copies less", "no longer copies", "copies more", "copies"},
    {Work::lookup, "looks up pages faster", "no longer looks up pages", "looks up pages slower",
     "looks up pages"},
    {Work::pages, "allocates and frees less", "no longer allocates and frees pages",
     "allocates and frees more", "allocates and frees pages"},
    {Work::release, "gives pages back faster", "no longer gives pages back",
     "gives pages back slower", "gives pages back"},
    {Work::page_cache, "finds cached pages faster", "no longer looks for cached pages",
     "finds cached pages slower", "looks for cached pages"},
    {Work::percpu, "allocates less per-CPU memory", "no longer allocates per-CPU memory",
     "allocates more per-CPU memory", "allocates per-CPU memory"},
    {Work::mutex, "waits less for the mutex", "no longer waits for the mutex",
     "waits longer for the mutex", "waits for the mutex"},
    {Work::polling, "polls less", "no longer polls", "polls more", "polls"},
    {Work::interrupts, "is interrupted less", "is not interrupted", "is interrupted more",
     "is interrupted"},
    {Work::ring, "needs less time for a slot", "needs no time for slots",
     "needs more time for a slot", "needs time for slots"},
    {Work::calls, "makes cheaper calls", "makes no calls", "makes costlier calls", "makes calls"},
    {Work::own, "needs less time outside of the kernel", "needs no time outside of the kernel",
     "needs more time outside of the kernel", "needs time outside of the kernel"},
};

double share_of(const RoleSpending& role, std::string_view function, Below below) {
  for (const FunctionRow& row : role.functions->rows())
    if (row.name == function)
      return role.functions->share(below == Below::itself ? row.self_samples
                                                          : row.children_samples);
  return 0;
}

// That shows how much of a work there is: what a system call's function calls is other work.
Below below_of(Work work) { return includes_callees(work) ? Below::callees : Below::itself; }

// "_copy_to_iter 13.5 → 0 %"
std::string shares_text(const RolePair& pair, std::string_view function, Below below) {
  return fmt::format("{} {} → {} %", function,
                     percent_number(share_of(pair.before, function, below)),
                     percent_number(share_of(pair.after, function, below)));
}

// The functions of a work by their names; "" if none of them is seen.
std::string telling(const Comparison& c, const RolePair& pair, Work work) {
  std::vector<FunctionGain> functions = c.functions(pair, below_of(work));
  std::erase_if(functions,
                [&](const FunctionGain& f) { return work_of(Function(f.name)) != work; });
  double most = 0;
  for (const FunctionGain& f : functions) most = std::max(most, f.gain.ns);
  const FunctionGain* found = most > 0 ? innermost(functions, kTells * most) : nullptr;
  return found ? std::string(found->name) : "";
}

// The role that gains most, among those that count.
const RolePair& gains_most(const Comparison& c, Work work) {
  const RolePair* most = &c.limiting();
  const auto gain = [&](const RolePair& pair) {
    const auto one = c.gain(pair, work);
    return one ? one->ns : 0;
  };
  for (const RolePair& pair : c.roles())
    if (c.counts(pair) && !is_waiting(work) && gain(pair) > gain(*most)) most = &pair;
  return *most;
}

const char* phrase(const Comparison& c, const RolePair& pair, Work work) {
  const auto words = std::ranges::find(kWords, work, &WorkWords::work);
  if (words == std::end(kWords)) return "changed";
  const double slow = c.slow(pair).known_ns(work), fast = c.fast(pair).known_ns(work);
  const bool gone = fast <= kGone * slow;
  if (c.faster()) return gone ? words->none : words->less;
  return gone ? words->some : words->more;
}

// How the lookup changes with the size of pages; "" if that is not the reason.
const char* lookup_phrase(const Comparison& c) {
  const bool huge_before = c.before().effective.pipe.pages != Pages::k4;
  const bool huge_after = c.after().effective.pipe.pages != Pages::k4;
  if (huge_before == huge_after || huge_after != c.faster()) return "";
  return huge_after ? "looks up 512 pages at once" : "looks up every page by itself";
}

std::string per_mib(double calls, double bytes) {
  return count_number(calls / bytes * 1024 * 1024);
}

// "512 → 128 calls per MiB", if they are clearly fewer (or more).
std::string calls_text(const Comparison& c, const RolePair& pair) {
  const auto &then = pair.before.totals, &now = pair.after.totals;
  if (!then || !now || then->counts.items == 0 || now->counts.items == 0) return "";
  const double before = double(then->counts.all_calls()) / double(then->counts.items);
  const double after = double(now->counts.all_calls()) / double(now->counts.items);
  const double ratio = c.faster() ? before / after : after / before;
  if (!(ratio >= kClearlyFewer) || c.terms().unit.items != "bytes") return "";
  return fmt::format("{} → {} calls per MiB", per_mib(before, 1), per_mib(after, 1));
}

// ---- beside the cause ----

struct Beside {
  const RolePair* pair = nullptr;
  Work work = Work::other;
  double gain_ns = 0;
  std::string function;
};

// The largest gain of work that the change is known by, although it is not half of the difference.
Beside largest_beside(const Comparison& c) {
  Beside most;
  for (const RolePair& pair : c.roles()) {
    const RoleSpending &slow = c.slow(pair), &fast = c.fast(pair);
    if (!slow.functions || !fast.functions) continue;
    for (const WorkWords& words : kWords) {
      const auto gain = c.gain(pair, words.work);
      if (is_waiting(words.work) || !gain || gain->ns <= most.gain_ns) continue;
      const bool lost = fast.known_ns(words.work) <= slow.known_ns(words.work) / 2;
      const bool seen = slow.known_ns(words.work) >= kWorthNaming * slow.on_cpu_ns;
      if (!lost || !seen || gain->ns < 2 * std::sqrt(gain->variance)) continue;
      std::string function = telling(c, pair, words.work);
      if (!function.empty()) most = {&pair, words.work, gain->ns, std::move(function)};
    }
  }
  return most;
}

Cause with_function(const RolePair& pair, std::string words, std::string function, Below below) {
  Cause cause{std::move(words), {}, std::move(function)};
  if (!cause.function.empty()) cause.evidence = shares_text(pair, cause.function, below);
  return cause;
}

}  // namespace

Cause with_beside(const Comparison& c, Cause cause) {
  const Beside beside = largest_beside(c);
  if (!beside.pair) return cause;
  if (!cause.evidence.empty()) cause.evidence += "; also ";
  cause.evidence += shares_text(*beside.pair, beside.function, below_of(beside.work));
  cause.function = beside.function;
  return cause;
}

Cause words_of_processes(const Comparison& c, int before, int after) {
  const auto each = [&](const Segment& segment, int processes) {
    return fmt::format("{:.3g}", segment.rate->mean / processes);
  };
  const std::string_view part = c.terms().part;
  return {fmt::format("{} {}{} instead of {}", after, part, after == 1 ? "" : "s", before),
          fmt::format("{} → {} {} each", each(c.before(), before), each(c.after(), after),
                      c.terms().unit.rate),
          {}};
}

Cause words_of_lending(const Comparison& c) {
  const auto now = [&](SlotKind kind) { return (*c.after().kinds)[static_cast<size_t>(kind)]; };
  const bool file = now(SlotKind::page_cache) > now(SlotKind::user_page);
  const bool now_lent = now(SlotKind::copy) < 0.5;
  const RolePair& writer = c.roles().front();
  Cause cause = with_function(
      writer,
      now_lent ? "the pages are lent instead of copied" : "the pages are copied instead of lent",
      telling(c, writer, Work::copying), Below::callees);
  if (!cause.evidence.empty()) cause.evidence += "; ";
  cause.evidence += now_lent ? file ? "slots: page cache" : "slots: user pages" : "slots: copies";
  return cause;
}

Cause words_of_work(const Comparison& c, Work work) {
  const RolePair& pair = gains_most(c, work);
  std::string words = phrase(c, pair, work);
  if (work == Work::lookup && *lookup_phrase(c)) words = lookup_phrase(c);
  const std::string calls = work == Work::calls ? calls_text(c, pair) : "";
  if (!calls.empty()) words = c.faster() ? "makes fewer calls" : "makes more calls";
  Cause cause = with_function(pair, fmt::format("the {} {}", name_of(c, pair), words),
                              telling(c, pair, work), below_of(work));
  if (!calls.empty()) cause.evidence = calls;
  return cause;
}

Cause words_of_function(const Comparison& c, const RolePair& pair, std::string_view function) {
  return with_function(pair,
                       fmt::format("the {} spends {} time in {}", name_of(c, pair),
                                   c.faster() ? "less" : "more", function),
                       std::string(function), Below::callees);
}

// As between rungs of a ladder that are no neighbours.
Cause words_of_none(const Comparison& c) {
  const PipeSettings &then = c.before().requested.pipe, &now = c.after().requested.pipe;
  const int changed = (then.write_with != now.write_with) + (then.read_with != now.read_with) +
                      (then.pages != now.pages) +
                      (then.writer_wait != now.writer_wait || then.reader_wait != now.reader_wait);
  return with_beside(c, {changed > 1 ? "several changes at once" : "no single cause", {}, {}});
}

// ---- what changed about sleeping ----

namespace {

// Fewer than that are none.
constexpr double kNoSleeps = 0.05;
// Sleeps are fewer, or longer, by at least that.
constexpr double kClearly = 1.2;

struct Sleeps {
  double per_item = 0, per_s = 0;
  double mean_ns = 0;  // until it runs again
};

std::optional<Sleeps> sleeps_of(const RoleSpending& role) {
  if (!role.totals || !role.blocked || !role.runnable || role.totals->counts.items == 0 ||
      role.totals->wall_ns == 0)
    return {};
  const double n = double(role.totals->sleeps), ns = double(role.totals->wall_ns);
  return Sleeps{n / double(role.totals->counts.items), n * 1e9 / ns,
                n > 0 ? (*role.blocked + *role.runnable) * ns / n : 0};
}

// "both spin", "the writer spins": who waits otherwise than before.
std::string who_spins(const Comparison& c) {
  const auto changed = [&](const RolePair& pair) {
    const bool then = is_busy(wait_of(c.before().effective.pipe, pair.role));
    const bool now = is_busy(wait_of(c.after().effective.pipe, pair.role));
    return then != now && now == c.faster();
  };
  std::vector<std::string_view> names;
  for (const RolePair& pair : c.roles())
    if (c.terms().has_ring && changed(pair)) names.push_back(name_of(c, pair));
  if (names.empty()) return "";
  const bool both = names.size() > 1;
  const std::string who = both ? "both" : fmt::format("the {}", names.front());
  const char* s = both ? "" : "s";
  return c.faster() ? fmt::format("{} spin{} instead of sleeping", who, s)
                    : fmt::format("{} sleep{} instead of spinning", who, s);
}

std::string per_sleep(const Comparison& c, const Sleeps& then, const Sleeps& now) {
  const bool bytes = c.terms().unit.items == "bytes" && c.terms().has_ring;
  if (!bytes || then.per_item == 0 || now.per_item == 0)
    return fmt::format("{} → {} sleeps/s", count_number(then.per_s), count_number(now.per_s));
  return bytes_text(1 / then.per_item, 1 / now.per_item) + " per wakeup";
}

// What changed about the sleeps, by their number and length.
Cause of_sleeps(const Comparison& c, const Sleeps& then, const Sleeps& now) {
  const Sleeps& slow = c.faster() ? then : now;
  const Sleeps& fast = c.faster() ? now : then;
  if (fast.per_item <= kNoSleeps * slow.per_item)
    return {c.faster() ? "no sleeps" : "sleeps",
            fmt::format("{} → {} sleeps/s", count_number(then.per_s), count_number(now.per_s)),
            {}};
  if (slow.per_item >= kClearly * fast.per_item)
    return {c.faster() ? "fewer sleeps" : "more sleeps", per_sleep(c, then, now), {}};
  return {c.faster() ? "shorter sleeps" : "longer sleeps",
          fmt::format("{:.0f} → {:.0f} us each", then.mean_ns / 1e3, now.mean_ns / 1e3),
          {}};
}

Cause of_runnable(const Comparison& c, const RolePair& pair) {
  return {
      fmt::format("the {} waits {} for a CPU", name_of(c, pair), c.faster() ? "less" : "longer"),
      fmt::format("runnable {} → {} %", percent_number(*pair.before.runnable),
                  percent_number(*pair.after.runnable)),
      {}};
}

// Whether it is the waiting for a CPU that changed, rather than sleep.
bool lacks_cpu(const RolePair& pair) {
  if (!pair.before.runnable || !pair.after.runnable || !pair.before.blocked || !pair.after.blocked)
    return false;
  const double runnable = std::abs(*pair.before.runnable - *pair.after.runnable);
  return runnable >= kMuchRunnable &&
         runnable > std::abs(*pair.before.blocked - *pair.after.blocked);
}

}  // namespace

Cause words_of_sleep(const Comparison& c) {
  const RolePair& pair = c.limiting();
  const auto then = sleeps_of(pair.before), now = sleeps_of(pair.after);
  const std::string spins = who_spins(c);
  if (!spins.empty()) {
    Cause cause{spins, {}, {}};
    if (then && now)
      cause.evidence =
          fmt::format("{} → {} sleeps/s", count_number(then->per_s), count_number(now->per_s));
    return cause;
  }
  if (lacks_cpu(pair)) return of_runnable(c, pair);
  Cause cause{c.faster() ? "less time asleep" : "more time asleep", {}, {}};
  if (then && now && then->per_s + now->per_s >= 1)
    cause = of_sleeps(c, *then, *now);
  else if (pair.before.blocked && pair.after.blocked)
    cause.evidence = fmt::format("blocked {} → {} %", percent_number(*pair.before.blocked),
                                 percent_number(*pair.after.blocked));
  return with_beside(c, std::move(cause));
}

// ---- numbers ----

std::string percent_number(double share) { return share < 0.0005 ? "0" : percent_text(share); }

// An interval without 1 may not look as if it had it: 1.0004 is not "1.00".
std::string interval_text(double low, double high) {
  if (!(low > 0) || !std::isfinite(high)) return "";
  if (high > 100 * low) return " [?]";  // whatever it is
  const auto bound = [&](double value) {
    int digits = high < 10 ? 2 : 1;
    while (digits < 5 && (low > 1 || high < 1) && std::abs(value - 1) < 0.5 * std::pow(10, -digits))
      ++digits;
    return fmt::format("{:.{}f}", value, digits);
  };
  return fmt::format(" [{} .. {}]", bound(low), bound(high));
}

std::string count_number(double count) {
  if (count >= 9950) return fmt::format("{:.0f}k", count / 1e3);
  if (count >= 995) return fmt::format("{:.1f}k", count / 1e3);
  return fmt::format("{:.{}f}", count, count > 0.05 && count < 0.95 ? 1 : 0);
}

std::string bytes_text(double before, double after) {
  constexpr double kKib = 1024, kMib = 1024 * kKib;
  const auto unit = [](double bytes) -> std::string_view {
    return bytes >= 1000 * kKib ? "MiB" : "KiB";
  };
  const auto number = [](double bytes) { return bytes / (bytes >= 1000 * kKib ? kMib : kKib); };
  const bool same = unit(before) == unit(after);
  return fmt::format("{:.3g}{}{} → {:.3g} {}", number(before), same ? "" : " ",
                     same ? "" : unit(before), number(after), unit(after));
}

}  // namespace pipetop

// The words for what changed about sleeping.
#include <fmt/format.h>

#include <cmath>

#include "engine/judge/change_text.h"
#include "engine/judge/change_words.h"

namespace pipetop {
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

}  // namespace pipetop

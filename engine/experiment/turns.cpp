#include "engine/experiment/turns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/numbers.h"
#include "engine/judge/change_words.h"

namespace pipetop {
namespace {

constexpr uint64_t kTurn_ns = 1000 * kMs;
// What is left of the other side in the ring and the caches must not count.
constexpr uint64_t kSettle_ns = 200 * kMs;
constexpr uint64_t kBound_ns = 60 * kSecond;
constexpr double kLevel = 0.99;  // of each look
constexpr size_t kFewestPairs = 4, kPairsInOneOrder = 4;
constexpr double kSame = 0.01;

}  // namespace

Turns::Side Turns::side_of(size_t turn) {
  const bool a_first = turn / 2 / kPairsInOneOrder % 2 == 1;
  return (turn % 2 == 1) == a_first ? Side::b : Side::a;
}

std::optional<Turns::Side> Turns::change_to(Side next) {
  from_ns_.reset();
  from_.reset();
  fresh_ = next != side_;
  return std::exchange(side_, next) == next ? std::nullopt : std::optional(next);
}

bool Turns::knows_enough() const {
  if (ratios_.size() < kFewestPairs) return false;
  return ratio_.differs() || std::sqrt(ratio_.high / ratio_.low) < 1 + kSame;
}

std::optional<Turns::Side> Turns::add(uint64_t now_ns, bool settled, const Progress& total) {
  if (ended_) return {};
  now_ns_ = now_ns;
  if (!settled) {
    from_ns_.reset();
    from_.reset();
    return {};
  }
  if (!from_ns_) from_ns_ = now_ns + (fresh_ ? kSettle_ns : 0);
  if (!from_ && now_ns >= *from_ns_) from_ns_ = now_ns, from_ = total;
  if (!from_ || now_ns < *from_ns_ + kTurn_ns) return {};
  const Progress since = total - *from_;
  rates_.push_back(since.clock_ns > 0 ? double(since.items) / double(since.clock_ns) : 0);
  if (const size_t n = rates_.size(); n % 2 == 0) {
    const double last = rates_[n - 1], other = rates_[n - 2];
    ratios_.push_back(side_ == Side::b ? last / other : other / last);
    ratio_ = ratio_interval(ratios_, kLevel);
    ended_ = knows_enough() || now_ns >= begin_ns_ + kBound_ns;
  }
  return change_to(ended_ ? Side::b : side_of(rates_.size()));
}

std::optional<Turns::Side> Turns::stop() {
  if (ended_) return {};
  ended_ = stopped_ = true;
  return change_to(Side::b);
}

std::string Turns::words() const {
  const std::string after =
      fmt::format("{} turns, {:.0f} s{}", rates_.size(), double(now_ns_ - begin_ns_) / 1e9,
                  stopped_ ? ", stopped" : "");
  if (ratios_.empty()) return "B/A not known yet, " + after;
  if (ended_ && !stopped_ && ratio_.is_known() && !ratio_.differs())
    return fmt::format("B/A same within {} %, {}",
                       percent_text(std::max(ratio_.high - 1, 1 - ratio_.low)), after);
  return fmt::format("B/A ×{:.2f}{}, {}", ratio_.ratio, interval_text(ratio_.low, ratio_.high),
                     after);
}

}  // namespace pipetop

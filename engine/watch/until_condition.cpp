#include "engine/watch/until_condition.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/text.h"

namespace pipetop {
namespace {

using Quantity = UntilCondition::Quantity;

constexpr std::array<std::string_view, 5> kQuantities = {"full", "empty", "used", "rate", "queued"};

bool is_share(Quantity quantity) {
  return quantity != Quantity::rate && quantity != Quantity::queued;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// As far as it is known: between these it lies.
struct Judged {
  double value = 0, low = 0, high = 0;
};

bool meets(const UntilCondition& condition, const Judged& judged) {
  return condition.above ? judged.low > condition.value : judged.high < condition.value;
}

bool fails(const UntilCondition& condition, const Judged& judged) {
  return condition.above ? judged.high <= condition.value : judged.low >= condition.value;
}

// What moved in an interval.
struct Moved {
  uint64_t begin_ns, end_ns;
  double bytes;
};

// Newest first; nothing is known across a longer pause.
std::vector<Moved> moved_in(std::span<const RatePoint> points) {
  constexpr uint64_t kUnseen_ns = kSecond / 2;
  std::vector<Moved> moved;
  for (size_t i = points.size(); i-- > 1;) {
    const uint64_t begin_ns = points[i - 1].at_ns, end_ns = points[i].at_ns;
    if (end_ns > begin_ns + kUnseen_ns) break;
    moved.push_back(
        {begin_ns, end_ns, points[i].rate * double(end_ns - begin_ns) / double(kSecond)});
  }
  return moved;
}

// By how much the bytes of intervals differ, in this time up to the end of the first.
double spread(std::span<const Moved> moved, uint64_t time_ns) {
  double least = moved.front().bytes, most = least;
  for (const Moved& one : moved) {
    if (one.end_ns + time_ns <= moved.front().end_ns) break;
    least = std::min(least, one.bytes);
    most = std::max(most, one.bytes);
  }
  return most - least;
}

// The mean rate of the last `window_ns`; nothing if less is known. Bytes come in lumps, when a call
// returns: what has moved since the last one counts only with the next. A lump is as large as the
// bytes of the intervals differ, in the window and in the second up to the last lump. The longer
// none has come, the less can have moved.
std::optional<Judged> rate_over(std::span<const Moved> moved, uint64_t window_ns) {
  if (moved.empty()) return {};
  const uint64_t end_ns = moved.front().end_ns;
  double bytes = 0;
  uint64_t begin_ns = end_ns;
  for (const Moved& one : moved) {
    if (begin_ns + window_ns <= end_ns) break;
    bytes += one.bytes;
    begin_ns = one.begin_ns;
  }
  if (begin_ns + window_ns > end_ns) return {};
  const auto last = std::ranges::find_if(moved, [](const Moved& one) { return one.bytes > 0; });
  double lump = 0;
  if (last != moved.end()) {
    lump = std::max(spread(moved, window_ns), spread({last, moved.end()}, kSecond));
    const double since_ns = double(end_ns - last->end_ns);
    lump *= std::min(1.0, double(window_ns) / std::max(since_ns, 1.0));
  }
  const double seconds = double(end_ns - begin_ns) / double(kSecond);
  return Judged{bytes / seconds, std::max(0.0, bytes - lump) / seconds, (bytes + lump) / seconds};
}

// By the shortest window that tells: in a longer one lumps matter less.
std::optional<Judged> rate_in(const Pipe& pipe, const UntilCondition& condition) {
  if (!pipe.bytes_per_s.has_value()) return {};
  const std::vector<Moved> moved = moved_in({pipe.rates.begin(), pipe.rates.end()});
  const EstimateRange range = pipe.range.value_or(EstimateRange{});
  std::optional<Judged> shortest;
  for (const uint64_t window_s : {1u, 2u, 4u, 8u}) {
    auto judged = rate_over(moved, window_s * kSecond);
    if (!judged) break;
    judged->low *= range.low;
    judged->high *= range.high;
    if (meets(condition, *judged)) return judged;
    if (!shortest) shortest = judged;
    if (fails(condition, *judged)) break;
  }
  return shortest;
}

std::optional<double> value_in(const Pipe& pipe, Quantity quantity) {
  const auto share = [&](double RingLevel::*part) {
    return pipe.level.has_value() ? std::optional((*pipe.level).*part) : std::nullopt;
  };
  switch (quantity) {
    case Quantity::full:
      return share(&RingLevel::full_share);
    case Quantity::empty:
      return share(&RingLevel::empty_share);
    case Quantity::used:
      return share(&RingLevel::mean_share);
    case Quantity::queued:
      return pipe.queued ? std::optional(double(*pipe.queued)) : std::nullopt;
    case Quantity::rate:
      break;
  }
  return {};
}

std::optional<Judged> judge(const Pipe& pipe, const UntilCondition& condition) {
  if (pipe.closed) return {};
  if (condition.quantity == Quantity::rate) return rate_in(pipe, condition);
  const auto value = value_in(pipe, condition.quantity);
  return value ? std::optional(Judged{*value, *value, *value}) : std::nullopt;
}

std::string value_text(Quantity quantity, double value) {
  if (is_share(quantity)) return fmt::format("{:.0f} %", 100 * value);
  return bytes_text(value) + (quantity == Quantity::rate ? "/s" : "");
}

std::string range_text(Quantity quantity, double least, double most) {
  const std::string low = value_text(quantity, least), high = value_text(quantity, most);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

[[noreturn]] void refuse(std::string_view text) {
  throw Error(
      fmt::format("\"{}\" is no condition: give for example \"full > 90 % for 30s\" (full, empty, "
                  "used, rate or queued; > or <)",
                  text));
}

double parse_value(const UntilCondition& condition, std::string_view text) {
  if (!is_share(condition.quantity)) {
    if (text.ends_with("/s")) text.remove_suffix(2);
    if (const auto bytes = parse_bytes(trimmed(text))) return *bytes;
    const bool is_rate = condition.quantity == Quantity::rate;
    throw Error(fmt::format("\"{}\": \"{}\" is not a {}: give bytes{} such as 64KiB or 2.2MiB",
                            condition.text, text, is_rate ? "rate" : "size",
                            is_rate ? " per second" : ""));
  }
  const bool has_sign = text.ends_with('%');
  if (has_sign) text.remove_suffix(1);
  const auto percent = parse_all<double>(trimmed(text));
  if (!percent) refuse(condition.text);
  if (!has_sign)
    throw Error(fmt::format("\"{}\": a share needs its %: {:g} %", condition.text, *percent));
  const bool can_be = condition.above ? *percent >= 0 && *percent < 100 : *percent > 0;
  if (!can_be || *percent > 100)
    throw Error(
        fmt::format("\"{}\" is never, or always, so: a share is 0 % to 100 %", condition.text));
  return *percent / 100;
}

}  // namespace

UntilCondition parse_until(std::string_view text) {
  UntilCondition condition;
  condition.text = text;
  const size_t sign = text.find_first_of("<>");
  if (sign == text.npos) refuse(text);
  const std::string_view name = trimmed(text.substr(0, sign));
  const auto quantity = std::ranges::find(kQuantities, name);
  if (quantity == kQuantities.end()) refuse(text);
  condition.quantity = static_cast<Quantity>(quantity - kQuantities.begin());
  condition.above = text[sign] == '>';
  std::string_view rest = text.substr(sign + 1);
  if (const size_t at = rest.find(" for "); at != rest.npos) {
    condition.for_ns = parse_duration_ns(trimmed(rest.substr(at + 5)));
    rest = rest.substr(0, at);
  }
  condition.value = parse_value(condition, trimmed(rest));
  return condition;
}

std::optional<std::string> UntilWatch::add(uint64_t now_ns, const Pipeline& seen) {
  std::map<PipeId, Stretch> met;
  std::optional<std::string> evidence;
  for (const Pipe& pipe : seen.pipes) {
    const auto judged = judge(pipe, condition_);
    if (!judged || !meets(condition_, *judged)) continue;
    const double value = judged->value;
    const auto before = met_.find(pipe.id);
    Stretch stretch = before == met_.end() ? Stretch{now_ns, value, value} : before->second;
    stretch.least = std::min(stretch.least, value);
    stretch.most = std::max(stretch.most, value);
    met.emplace(pipe.id, stretch);
    if (evidence || now_ns < stretch.since_ns + condition_.for_ns) continue;
    evidence = fmt::format("{} -> {}: {} {}", seen.name_at(pipe.writers),
                           seen.name_at(pipe.readers), kQuantities[size_t(condition_.quantity)],
                           range_text(condition_.quantity, stretch.least, stretch.most));
    if (condition_.for_ns > 0)
      *evidence +=
          fmt::format(" for {:.1f} s", double(now_ns - stretch.since_ns) / double(kSecond));
  }
  met_ = std::move(met);
  return evidence;
}

}  // namespace pipetop

#include "engine/watch/until_condition.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

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
    case Quantity::rate:
      return pipe.bytes_per_s.value;
    case Quantity::queued:
      return pipe.queued ? std::optional(double(*pipe.queued)) : std::nullopt;
  }
  return {};
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
    const auto value = pipe.closed ? std::nullopt : value_in(pipe, condition_.quantity);
    if (!value || (condition_.above ? *value <= condition_.value : *value >= condition_.value))
      continue;
    const auto before = met_.find(pipe.id);
    Stretch stretch = before == met_.end() ? Stretch{now_ns, *value, *value} : before->second;
    stretch.least = std::min(stretch.least, *value);
    stretch.most = std::max(stretch.most, *value);
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

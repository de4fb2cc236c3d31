// What the tables of knobs are written with: a knob, or a key's press, over one
// member of Settings, which a path of members leads to.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/model/knob.h"

namespace pipetop::knob_makers {

using Names = std::span<const std::string_view>;

// Each throws Error: what was given, and what would be right.
size_t parse_choice(std::string_view value, Names names);
bool parse_bool(std::string_view value);
int parse_cpu(std::string_view value);
uint32_t parse_number(std::string_view value, uint32_t least, uint32_t most);
uint64_t parse_pages(std::string_view value, uint64_t least, uint64_t most);  // bytes

Names bool_names();

template <auto... Path>
auto& at(Settings& s) {
  return (s.*....*Path);
}
template <auto... Path>
const auto& at(const Settings& s) {
  return (s.*....*Path);
}
template <auto... Path>
using Member = std::remove_cvref_t<decltype(at<Path...>(std::declval<Settings&>()))>;

// ---- knobs ------------------------------------------------------------------

// `Table` is indexed by the member's enumeration.
template <const auto& Table, auto... Path>
constexpr Knob choice(std::string_view name, ArticleFlag article, std::string_view help) {
  return {name,
          KnobKind::choice,
          Table,
          article,
          help,
          [](const Settings& s) { return std::string(Table[static_cast<size_t>(at<Path...>(s))]); },
          [](Settings& s, std::string_view v) {
            at<Path...>(s) = static_cast<Member<Path...>>(parse_choice(v, Table));
          }};
}

template <auto... Path>
Knob boolean(std::string_view name, ArticleFlag article, std::string_view help) {
  return {name,
          KnobKind::boolean,
          bool_names(),
          article,
          help,
          [](const Settings& s) { return std::string(at<Path...>(s) ? "true" : "false"); },
          [](Settings& s, std::string_view v) { at<Path...>(s) = parse_bool(v); }};
}

template <uint32_t Least, uint32_t Most, auto... Path>
constexpr Knob number(std::string_view name, std::string_view help) {
  return {name,
          KnobKind::number,
          {},
          {},
          help,
          [](const Settings& s) { return std::to_string(at<Path...>(s)); },
          [](Settings& s, std::string_view v) { at<Path...>(s) = parse_number(v, Least, Most); }};
}

// ---- hot keys ---------------------------------------------------------------

template <const auto& Table, auto... Path>
void press_next(Settings& s) {
  auto& member = at<Path...>(s);
  member = static_cast<Member<Path...>>((static_cast<size_t>(member) + 1) % Table.size());
}
template <const auto& Table, auto... Path>
std::string value_of(const Settings& s) {
  return std::string(Table[static_cast<size_t>(at<Path...>(s))]);
}
template <auto... Path>
void press_toggle(Settings& s) {
  at<Path...>(s) = !at<Path...>(s);
}
template <auto... Path>
std::string on_or_off(const Settings& s) {
  return at<Path...>(s) ? "on" : "off";
}
template <auto... Path>
std::string number_text(const Settings& s) {
  return std::to_string(at<Path...>(s));
}
// The value differs from its default.
template <auto... Path>
bool away(const Settings& s) {
  return at<Path...>(s) != at<Path...>(Settings{});
}

template <auto Least, auto... Path>
void press_less(Settings& s) {
  auto& member = at<Path...>(s);
  if (member > Least) --member;
}
template <auto Most, auto... Path>
void press_more(Settings& s) {
  auto& member = at<Path...>(s);
  if (member < Most) ++member;
}

// Sizes step by powers of two.
template <class Number>
constexpr Number power_below(Number n) {
  return std::bit_floor(static_cast<Number>(n - 1));
}
template <class Number>
constexpr Number power_above(Number n) {
  return static_cast<Number>(std::bit_floor(n) * 2);
}
template <auto Least, auto... Path>
void press_halve(Settings& s) {
  auto& member = at<Path...>(s);
  using Value = Member<Path...>;
  if (member > Least) member = std::max<Value>(Least, power_below(member));
}
template <auto Most, auto... Path>
void press_double(Settings& s) {
  auto& member = at<Path...>(s);
  member = std::min<Member<Path...>>(Most, power_above(member));
}

}  // namespace pipetop::knob_makers

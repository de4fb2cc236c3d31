// Helpers for the tables of knobs: a knob, or a key press, for one member of
// Settings, given by a path of members.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/base/text.h"
#include "engine/model/tables.h"

namespace pipetop::knob_makers {

using Names = std::span<const std::string_view>;

// Each throws Error, which says what was given and what is expected.
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

// 64 bits are bytes, fewer are a count.
template <auto... Path>
std::string text_of(const Settings& s) {
  if constexpr (sizeof(Member<Path...>) == sizeof(uint64_t)) return format_size(at<Path...>(s));
  return std::to_string(at<Path...>(s));
}

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
  return {
      name, KnobKind::number, {}, {}, help, text_of<Path...>, [](Settings& s, std::string_view v) {
        at<Path...>(s) = parse_number(v, Least, Most);
      }};
}

// Bytes, whole pages.
template <uint64_t Least, uint64_t Most, auto... Path>
constexpr Knob size(std::string_view name, std::string_view help) {
  return {
      name, KnobKind::size, {}, {}, help, text_of<Path...>, [](Settings& s, std::string_view v) {
        at<Path...>(s) = parse_pages(v, Least, Most);
      }};
}

// ---- hot keys ---------------------------------------------------------------

// The value differs from its default.
template <auto... Path>
bool away(const Settings& s) {
  return at<Path...>(s) != at<Path...>(Settings{});
}

// To the next of a choice's values.
template <const auto& Table, auto... Path>
constexpr HotKey next_key(char key, std::string_view knob, std::string_view label) {
  return {key,
          knob,
          label,
          [](Settings& s) {
            auto& member = at<Path...>(s);
            member = static_cast<Member<Path...>>((static_cast<size_t>(member) + 1) % Table.size());
          },
          [](const Settings& s) { return std::string(Table[static_cast<size_t>(at<Path...>(s))]); },
          away<Path...>};
}

template <auto... Path>
constexpr HotKey toggle_key(char key, std::string_view knob, std::string_view label) {
  return {key,
          knob,
          label,
          [](Settings& s) { at<Path...>(s) = !at<Path...>(s); },
          [](const Settings& s) { return std::string(at<Path...>(s) ? "on" : "off"); },
          away<Path...>};
}

// ---- steps of hot keys, each up to a limit: counts by one, sizes by powers of two ----

template <class Number>
constexpr Number power_below(Number n) {
  return std::bit_floor(static_cast<Number>(n - 1));
}
template <class Number>
constexpr Number power_above(Number n) {
  return static_cast<Number>(std::bit_floor(n) * 2);
}

template <auto Least>
constexpr auto less = [](auto n) { return n > Least ? n - 1 : n; };
template <auto Most>
constexpr auto more = [](auto n) { return n < Most ? n + 1 : n; };
template <auto Least>
constexpr auto half = [](auto n) { return std::max<decltype(n)>(Least, power_below(n)); };
template <auto Most>
constexpr auto twice = [](auto n) { return std::min<decltype(n)>(Most, power_above(n)); };

template <auto Step, auto... Path>
constexpr HotKey step_key(char key, std::string_view knob, std::string_view label) {
  const auto press = [](Settings& s) { at<Path...>(s) = Step(at<Path...>(s)); };
  return {key, knob, label, press, text_of<Path...>, nullptr};
}

}  // namespace pipetop::knob_makers

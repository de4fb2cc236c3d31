// Whether two values would be recorded alike. Numbers are compared by their bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/fields.h"

namespace pipetop::recording {

struct Equal {
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) static bool of(T a, T b) {
    if constexpr (std::is_same_v<T, double>)
      return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
    else
      return a == b;
  }
  static bool of(const std::string& a, const std::string& b) { return a == b; }
  static bool of(Function a, Function b) { return a == b; }
  static bool of(const Slot& a, const Slot& b) {
    return a.kind == b.kind && a.huge == b.huge && a.consecutive == b.consecutive &&
           a.rewritten == b.rewritten && a.offset == b.offset && a.length == b.length &&
           a.flags == b.flags;
  }
  static bool of(const CallNode& a, const CallNode& b) {
    return a.function == b.function && a.parent == b.parent && a.self == b.self &&
           a.total == b.total;
  }
  static bool of(const CallTree& a, const CallTree& b) {
    return a.total == b.total && a.paths == b.paths && of(a.nodes, b.nodes);
  }
  static bool of(const OccupancyHistory& a, const OccupancyHistory& b) {
    return a.column_ns == b.column_ns && of(a.columns, b.columns);
  }
  template <class T>
  static bool of(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || of(*a, *b));
  }
  template <class T>
  static bool of(const Reading<T>& a, const Reading<T>& b) {
    return a.status == b.status && a.reason == b.reason && a.has_value() == b.has_value() &&
           (!a.has_value() || of(*a, *b));
  }
  template <class T>
  static bool of(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
    return a == b || (a && b && of(*a, *b));
  }
  // A segment never changes: another one is another object.
  static bool of(const std::shared_ptr<const Segment>& a, const std::shared_ptr<const Segment>& b) {
    return a == b;
  }
  // It only grows at its end.
  static bool of(const Series<RatePoint>& a, const Series<RatePoint>& b) {
    return a.size() == b.size() &&
           (a.empty() || (of(a.front(), b.front()) && of(a.back(), b.back())));
  }
  template <class T>
  static bool of(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [](const T& x, const T& y) { return of(x, y); });
  }
  template <class T, size_t kSize>
  static bool of(const std::array<T, kSize>& a, const std::array<T, kSize>& b) {
    return std::ranges::equal(a, b, [](const T& x, const T& y) { return of(x, y); });
  }
  template <HasFields T>
  static bool of(const T& a, const T& b) {
    return std::apply([&](auto... member) { return (of(a.*member, b.*member) && ...); },
                      kFields<T>);
  }
};

}  // namespace pipetop::recording

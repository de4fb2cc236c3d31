// Whether two snapshots hold the same, all of it. Numbers are compared by their bits.
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

#include "engine/model/fields.h"
#include "engine/model/snapshot.h"

namespace pipetop::recording {

struct Same {
  template <class T>
  requires(!HasFields<T>) static bool of(const T& a, const T& b) { return a == b; }
  static bool of(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  }
  static bool of(const CallTree& a, const CallTree& b) {
    return a.total == b.total && a.paths == b.paths &&
           std::ranges::equal(a.nodes, b.nodes, [](const CallNode& x, const CallNode& y) {
             return x.function == y.function && x.parent == y.parent && x.self == y.self &&
                    x.total == y.total;
           });
  }
  template <class T>
  static bool of(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || of(*a, *b));
  }
  // Those that were read are other objects.
  template <class T>
  static bool of(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
    return a == b || (a && b && of(*a, *b));
  }
  template <class T>
  static bool of(const Series<T>& a, const Series<T>& b) {
    return all_of(std::span<const T>(a), std::span<const T>(b));
  }
  template <class T>
  static bool of(const std::vector<T>& a, const std::vector<T>& b) {
    return all_of(a, b);
  }
  template <class T, size_t kSize>
  static bool of(const std::array<T, kSize>& a, const std::array<T, kSize>& b) {
    return all_of(a, b);
  }
  template <HasFields T>
  static bool of(const T& a, const T& b) {
    return FieldsOf<T>::all([&]<auto kMember>() { return of(a.*kMember, b.*kMember); });
  }

 private:
  template <class List>
  static bool all_of(const List& a, const List& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return of(x, y); });
  }
};

inline bool same(const Snapshot& a, const Snapshot& b) { return Same::of(a, b); }

}  // namespace pipetop::recording

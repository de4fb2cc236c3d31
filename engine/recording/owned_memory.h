// The memory that a value of a recording owns beside itself. What it shares with the shared values
// is the shared values'.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/fields.h"

namespace pipetop::recording {

struct OwnedMemory {
  static constexpr uint64_t kBlock = 32;  // what the allocator and a shared_ptr add

  template <class T>
  requires std::is_trivially_copyable_v<T>
  static uint64_t of(const T&) { return 0; }
  static uint64_t of(const std::string& value) {
    return value.capacity() > std::string().capacity() ? kBlock + value.capacity() : 0;
  }
  template <class T>
  requires(!std::is_trivially_copyable_v<T>) static uint64_t of(const std::optional<T>& value) {
    return value ? of(*value) : 0;
  }
  template <class T>
  static uint64_t of(const Reading<T>& value) {
    return of(value.reason) + of(value.value);
  }
  template <class T>
  static uint64_t of(const std::vector<T>& value) {
    uint64_t bytes = kBlock + value.capacity() * sizeof(T);
    if constexpr (!std::is_trivially_copyable_v<T>)
      for (const T& one : value) bytes += of(one);
    return bytes;
  }
  template <class T, size_t kSize>
  requires(!std::is_trivially_copyable_v<T>) static uint64_t of(const std::array<T, kSize>& value) {
    uint64_t bytes = 0;
    for (const T& one : value) bytes += of(one);
    return bytes;
  }
  // It keeps up to twice of what it holds.
  static uint64_t of(const Series<RatePoint>& value) {
    return 2 * sizeof(RatePoint) * value.size();
  }
  static uint64_t of(const std::shared_ptr<const CallTree>& value) {
    return value ? sizeof(CallTree) + of(value->nodes) : 0;
  }
  static uint64_t of(const std::shared_ptr<const OccupancyHistory>& value) {
    return value ? sizeof(OccupancyHistory) + of(value->columns) : 0;
  }
  static uint64_t of(const std::shared_ptr<const Segment>&) { return 0; }
  static uint64_t of(const std::shared_ptr<const HostInfo>&) { return 0; }
  template <HasFields T>
  requires(!std::is_trivially_copyable_v<T>) static uint64_t of(const T& value) {
    return std::apply([&](auto... member) { return (of(value.*member) + ...); }, kFields<T>);
  }
};

}  // namespace pipetop::recording

// A measured value with its status. Front ends show the status; an unknown value is
// never shown as 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pipetop {

enum class ReadingStatus {
  ok,
  warming,      // the source works but has too little data yet
  stale,        // the last good value, no longer updated
  unavailable,  // the source is not available; `reason` says why and what to do
};

// The first part of a reason "why; remedy".
inline std::string_view why_of(std::string_view reason) {
  return reason.substr(0, reason.find("; "));
}

template <class T>
struct Reading {
  ReadingStatus status = ReadingStatus::warming;
  std::optional<T> value;  // set when ok or stale
  std::string reason;      // set unless ok; "why; remedy"

  static Reading of(T v) { return {ReadingStatus::ok, std::move(v), {}}; }
  static Reading warming(std::string why) { return {ReadingStatus::warming, {}, std::move(why)}; }
  static Reading unavailable(std::string why) {
    return {ReadingStatus::unavailable, {}, std::move(why)};
  }

  bool has_value() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
};

}  // namespace pipetop

// A value as bytes: of each struct only the members that differ from the value before. One walk
// over the value serves both ways: with a ByteWriter it writes what there is, with a ByteReader it
// turns the value before into the one that was recorded.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/bytes.h"
#include "engine/recording/fields.h"
#include "engine/recording/shared_values.h"

namespace pipetop::recording {

// How a value is written.
enum class Form : uint8_t {
  delta,  // what differs from the value before
  full,   // all of it, as if all numbers before were 0
};

// The memory that a value of a recording owns beside itself. What it shares with the shared values
// is the shared values'.
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

// Memory that reading may still allocate: few bytes can ask for much.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : left_(bytes) {}
  // What is left of `bytes` when this much is in use.
  Budget(uint64_t bytes, uint64_t used) : left_(bytes - std::min(used, bytes)) {}

  void charge(uint64_t bytes) {
    if (bytes > left_) fail("it asks for too much memory");
    left_ -= bytes;
  }
  template <class T>
  void charge_for(uint64_t count) {
    charge(count * sizeof(T));
  }
  // For one more value. As much as it takes, not as much as it holds.
  template <class T>
  void charge_growth(std::vector<T>& list) {
    if (list.size() < list.capacity()) return;
    const size_t more = std::max<size_t>(16, list.size() / 2);
    charge_for<T>(more);
    list.reserve(list.size() + more);
  }

 private:
  uint64_t left_;
};

// As it can be drawn on a terminal.
std::string read_text(ByteReader& in, Budget& budget);

// Each of() walks over a value: it writes `now`, or reads it. `before` is the value before; when
// reading it is usually the same object. Throws Error for bytes that no writer makes; then the
// value is of no use.
//
// When writing, of() returns whether the two differ. Numbers are compared by their bits.
template <class Io>
class Walk {
 public:
  static constexpr bool kReads = Io::kReads;
  template <class T>
  using Now = std::conditional_t<kReads, T, const T>;

  using Shared = std::conditional_t<kReads, const SharedValues, Written>;

  // To write, and to read. All of them outlive it.
  Walk(Io& io, Shared& written, Form form) : io_(io), shared_(written), form_(form) {}
  Walk(Io& io, Shared& shared, const Layout& layout, Budget& budget, Form form)
      : io_(io), shared_(shared), layout_(layout), budget_(&budget), form_(form) {}

  // For the next value. The ranges that were walked over are remembered.
  void set_form(Form form) {
    form_ = form;
    if (!full()) return;
    ranges_ = {};
    series_ranges_.clear();
  }

  // A value that has none before it.
  template <class T>
  bool fresh(T& now) {
    const Form form = std::exchange(form_, Form::full);
    of(now, std::remove_const_t<T>{});
    form_ = form;
    return true;
  }

  template <class T>
  requires std::is_enum_v<T>
  bool of(Now<T>& now, const T& before) {
    const uint64_t number = io_.number(static_cast<uint64_t>(now));
    if (number > static_cast<uint64_t>(last_value(T{})))
      fail("it has a value that this version does not know");
    if constexpr (kReads) now = static_cast<T>(number);
    return now != before;
  }
  bool of(Now<bool>& now, const bool& before) {
    const uint8_t byte = io_.byte(now);
    if (byte > 1) fail("a switch is neither on nor off");
    if constexpr (kReads) now = byte == 1;
    return now != before;
  }
  template <class T>
  requires std::is_integral_v<T>
  bool of(Now<T>& now, const T& before) {
    const uint64_t number =
        io_.difference(static_cast<uint64_t>(now), full() ? 0 : static_cast<uint64_t>(before));
    if constexpr (kReads) now = static_cast<T>(number);
    if (static_cast<uint64_t>(now) != number) fail("a number is out of its range");
    return now != before;
  }
  bool of(Now<double>& now, const double& before) {
    const double value = io_.real(now, full() ? 0 : before);
    if constexpr (kReads) now = value;
    return std::bit_cast<uint64_t>(now) != std::bit_cast<uint64_t>(before);
  }
  bool of(Now<std::string>& now, const std::string& before) {
    if constexpr (kReads)
      now = read_text(io_, *budget_);
    else
      io_.text(now);
    return now != before;
  }

  template <class T>
  bool of(Now<Reading<T>>& now, const Reading<T>& before) {
    constexpr int kStatus = 3, kValue = 2, kNewValue = 3, kNewReason = 4;  // a mask, and parts
    const bool had_value = before.has_value(), known = !full() && had_value;
    bool differs = now.status != before.status || now.has_value() != had_value;
    typename Io::Parts parts(
        io_, 5, static_cast<uint8_t>(static_cast<int>(now.status) | now.has_value() << kValue));
    const bool has_value = parts.first() & 1 << kValue;
    if constexpr (kReads) {
      now.status = static_cast<ReadingStatus>(parts.first() & kStatus);
      if (!has_value && parts.has(kNewValue)) fail("a reading has a value that it has not");
      const bool lacks = !has_value && now.status == ReadingStatus::ok;
      if (lacks || (has_value && !known && !parts.has(kNewValue)))
        fail("a reading lacks its value");
      if (!has_value)
        now.value.reset();
      else if (!known)
        now.value.emplace();
    }
    if (has_value)
      differs |= parts.part(kNewValue, !known, [&] {
        return known ? of(*now.value, *before.value) : fresh(*now.value);
      });
    differs |= parts.part(kNewReason, full(), [&] { return of(now.reason, before.reason); });
    return differs;
  }
  template <class T>
  bool of(Now<std::optional<T>>& now, const std::optional<T>& before) {
    const bool had_value = before.has_value();
    bool has_value = now.has_value();
    bool differs = of(has_value, had_value);
    if constexpr (kReads) {
      if (!has_value)
        now.reset();
      else if (!had_value)
        now.emplace();
    }
    if (has_value) differs |= had_value ? of(*now, *before) : of(*now, T{});
    return differs;
  }
  template <class T>
  bool of(Now<std::vector<T>>& now, const std::vector<T>& before) {
    const size_t known = before.size();
    const uint64_t count = io_.count(now.size());
    if constexpr (kReads) {
      budget_->charge_for<T>(count);
      now.reserve(count);
      now.resize(count);
    }
    bool differs = count != known;
    for (size_t i = 0; i < count; ++i) differs |= i < known ? of(now[i], before[i]) : fresh(now[i]);
    return differs;
  }
  template <class T, size_t kSize>
  bool of(Now<std::array<T, kSize>>& now, const std::array<T, kSize>& before) {
    const uint64_t count = io_.number(kSize);
    if (count > kSize) fail("a newer pipetop has made it");
    typename Io::Parts parts(io_, count);
    bool differs = false;
    for (size_t i = 0; i < count; ++i)
      differs |= parts.part(i, full(), [&] { return of(now[i], before[i]); });
    return differs;
  }
  template <HasFields T>
  bool of(Now<T>& now, const T& before) {
    typename Io::Parts parts(io_, layout_[index_of<T, Recorded>()]);
    bool differs = false;
    const auto member = [&](size_t i, auto& new_value, const auto& old_value) {
      const bool skips = !kReads && !full() && share_memory(new_value, old_value);
      if (!skips)
        differs |= parts.part(i, full(), [&] { return member_of<T>(new_value, old_value); });
    };
    std::apply(
        [&](auto... at) {
          size_t i = 0;
          (member(i++, now.*at, before.*at), ...);
        },
        kFields<T>);
    return differs;
  }

  // ---- what is written once, or in a way of its own --------------------------------

  bool of(Now<std::shared_ptr<const CallTree>>& now, const std::shared_ptr<const CallTree>& before);
  bool of(Now<std::vector<Slot>>& now, const std::vector<Slot>& before);
  bool of(Now<Series<RatePoint>>& now, const Series<RatePoint>& before);
  bool of(Now<std::shared_ptr<const OccupancyHistory>>& now,
          const std::shared_ptr<const OccupancyHistory>& before);
  bool of(Now<std::vector<ChangeMark>>& now, const std::vector<ChangeMark>& before);
  bool of(Now<std::vector<Notice>>& now, const std::vector<Notice>& before);
  bool of(Now<std::shared_ptr<const Segment>>& now, const std::shared_ptr<const Segment>& before);
  bool of(Now<std::vector<std::shared_ptr<const Segment>>>& now,
          const std::vector<std::shared_ptr<const Segment>>& before);
  bool of(Now<std::shared_ptr<const HostInfo>>& now, const std::shared_ptr<const HostInfo>& before);

 private:
  bool full() const { return form_ == Form::full; }

  // Whether the two are surely equal, because they are the same.
  template <class T>
  static bool share_memory(const T&, const T&) {
    return false;
  }
  template <class T>
  static bool share_memory(const std::shared_ptr<T>& a, const std::shared_ptr<T>& b) {
    return a == b;
  }
  template <class T>
  static bool share_memory(const Series<T>& a, const Series<T>& b) {
    const std::span<const T> x = a, y = b;
    return x.data() == y.data() && x.size() == y.size();
  }

  // A history and the series of watched pipes have the same type; there are many of these.
  template <class Owner, class Member>
  bool member_of(Member& now, const std::remove_const_t<Member>& before) {
    if constexpr (std::is_same_v<Owner, Pipe> &&
                  std::is_same_v<std::remove_const_t<Member>, Series<RatePoint>>)
      return of_series(now, before);
    else
      return of(now, before);
  }

  template <class T>
  bool place(std::span<const T>& values);
  bool of_series(Now<Series<RatePoint>>& now, const Series<RatePoint>& before);
  template <class T>
  bool of_list(Now<std::vector<T>>& now);

  Io& io_;
  Shared& shared_;
  const Layout& layout_ = kLayout;
  Budget* budget_ = nullptr;  // only to read
  Form form_;
  std::array<Range, std::tuple_size_v<Listed>> ranges_;
  std::vector<Range> series_ranges_;  // the last one in each list of a series
};

extern template class Walk<ByteWriter>;
extern template class Walk<ByteReader>;

}  // namespace pipetop::recording

// The opposite of the encoder. Each get() turns the value before into the one that was recorded.
// Throws Error for bytes that no encoder makes; then the value is of no use.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/bytes.h"
#include "engine/recording/fields.h"
#include "engine/recording/shared_values.h"

namespace pipetop::recording {

// Memory that may still be allocated: few bytes can ask for much.
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

class Decoder {
 public:
  // All but the layout outlive it. `full`: as Encoder::Form.
  Decoder(ByteReader& in, const SharedValues& shared, const Layout& layout, Budget& budget,
          bool full)
      : in_(&in), shared_(shared), layout_(layout), budget_(budget), full_(full) {}

  void set_form(ByteReader& in, bool full) {
    in_ = &in;
    full_ = full;
    if (full) ranges_ = {};
  }

  template <class T>
  requires std::is_enum_v<T>
  void get(T& value) {
    const uint64_t number = in_->number();
    if (number > static_cast<uint64_t>(last_value(T{})))
      fail("it has a value that this version does not know");
    value = static_cast<T>(number);
  }
  void get(bool& value) {
    const uint8_t byte = in_->byte();
    if (byte > 1) fail("a switch is neither on nor off");
    value = byte == 1;
  }
  template <class T>
  requires std::is_integral_v<T>
  void get(T& value) {
    const uint64_t now = in_->difference(full_ ? 0 : static_cast<uint64_t>(value));
    value = static_cast<T>(now);
    if (static_cast<uint64_t>(value) != now) fail("a number is out of its range");
  }
  void get(double& value) { value = in_->real(full_ ? 0 : value); }
  void get(std::string& value) { value = text(); }

  template <class T>
  void get(Reading<T>& value) {
    const uint8_t shape = in_->byte();
    if (shape >= 1 << 5) fail("a reading has no such form");
    const bool has_value = shape & 1 << 2, is_new = shape & 1 << 3;
    value.status = static_cast<ReadingStatus>(shape & 3);
    const bool known = !full_ && value.has_value();
    if (has_value && !known && !is_new) fail("a reading lacks its value");
    if (!has_value) {
      if (is_new) fail("a reading has a value that it has not");
      value.value.reset();
    } else if (is_new && known) {
      get(*value.value);
    } else if (is_new) {
      value.value.emplace();
      get_new(*value.value);
    }
    if (shape & 1 << 4) get(value.reason);
    if (value.status == ReadingStatus::ok && !has_value) fail("a reading lacks its value");
  }

  template <class T>
  void get(std::optional<T>& value) {
    bool has_value = value.has_value();
    get(has_value);
    if (!has_value) return value.reset();
    if (!value) value.emplace();
    get(*value);
  }
  template <class T>
  void get(std::vector<T>& value) {
    const uint64_t count = in_->count();
    budget_.charge_for<T>(count);
    if (count < value.size()) value.resize(count);
    value.reserve(count);
    for (T& old : value) get(old);
    while (value.size() < count) get_new(value.emplace_back());
  }
  template <class T, size_t kSize>
  void get(std::array<T, kSize>& value) {
    const uint64_t count = in_->number();
    if (count > kSize) fail("a newer pipetop has made it");
    const auto changed = bits<kSize>(count);
    for (size_t i = 0; i < count; ++i)
      if (changed[i]) get(value[i]);
  }
  template <HasFields T>
  void get(T& value) {
    const auto changed = bits<kFieldCount<T>>(layout_[index_of<T>()]);
    std::apply(
        [&](auto... member) {
          size_t i = 0;
          ((changed[i++] ? get(value.*member) : void()), ...);
        },
        kFields<T>);
  }

  void get(std::shared_ptr<const CallTree>& value);
  void get(std::vector<Slot>& value);
  void get(Series<RatePoint>& value);
  void get(std::shared_ptr<const OccupancyHistory>& value);
  void get(std::vector<ChangeMark>& value) { get(value, shared_.marks, ranges_[2]); }
  void get(std::vector<Notice>& value) { get(value, shared_.notices, ranges_[3]); }
  void get(std::shared_ptr<const Segment>& value) {
    value = one_of(shared_.segments, in_->number());
  }
  void get(std::vector<std::shared_ptr<const Segment>>& value);
  void get(std::shared_ptr<const HostInfo>& value) { value = one_of(shared_.hosts, in_->number()); }

  // As it can be drawn on a terminal.
  std::string text();

  template <class T>
  void get_new(T& value) {
    const bool full = std::exchange(full_, true);
    get(value);
    full_ = full;
  }

 private:
  // The members that follow, of `count` that the writer knew.
  template <size_t kKnown>
  std::array<bool, kKnown> bits(uint64_t count) {
    std::array<bool, kKnown> set{};
    for (uint64_t i = 0; i < count; i += 8) {
      const uint8_t byte = in_->byte();
      for (uint64_t bit = 0; bit < 8; ++bit) {
        if (!(byte & 1 << bit)) continue;
        if (i + bit >= count) fail("a struct has more members than it should");
        set[i + bit] = true;
      }
    }
    return set;
  }
  template <class T>
  static std::shared_ptr<const T> one_of(const std::vector<std::shared_ptr<const T>>& all,
                                         uint64_t number) {
    if (number > all.size()) fail("it refers to what is not there");
    return number == 0 ? nullptr : all[number - 1];
  }
  template <class T>
  std::span<const T> range(const std::vector<T>& all, Range& range);
  template <class T>
  void get(std::vector<T>& value, const std::vector<T>& all, Range& from);
  template <class Set>
  void get_runs(std::vector<Slot>& slots, Set set);

  ByteReader* in_;
  const SharedValues& shared_;
  Layout layout_;
  Budget& budget_;
  bool full_;
  std::array<Range, 4> ranges_;
};

}  // namespace pipetop::recording

// Values as bytes: of each struct only the members that differ from the value before.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/model/snapshot.h"
#include "engine/recording/bytes.h"
#include "engine/recording/equal.h"
#include "engine/recording/fields.h"
#include "engine/recording/shared_values.h"

namespace pipetop::recording {

// What was written once, and the shared values that tell of it.
class Written {
 public:
  uint64_t number_of(Function function);
  uint64_t number_of(const std::shared_ptr<const Segment>& segment);  // 0 for null, else from 1
  uint64_t number_of(const std::shared_ptr<const HostInfo>& host);    // likewise
  Range place(std::span<const RatePoint> now);
  Range place(std::span<const OccupancyColumn> now);
  Range place(std::span<const ChangeMark> now);
  Range place(std::span<const Notice> now);
  void add(const RecordedMark& mark);
  // Those that are no longer shown.
  void forget_segments(const Throughput& shown);

  ByteWriter& shared() { return shared_; }

 private:
  template <class T>
  Range place(std::span<const T> now, SharedList<T>& known, SharedKind what);

  ByteWriter shared_;
  std::vector<uint64_t> names_;  // by Function::number(); 0: not yet written, else its number + 1
  uint64_t name_count_ = 0;
  SharedList<RatePoint> points_;
  SharedList<OccupancyColumn> columns_;
  SharedList<ChangeMark> marks_;
  SharedList<Notice> notices_;
  // Those that the newest snapshot shows. Holding them keeps their addresses from being used again.
  std::unordered_map<std::shared_ptr<const Segment>, uint64_t> segments_;
  uint64_t segment_count_ = 0;
  std::shared_ptr<const HostInfo> host_;
  uint64_t host_count_ = 0;
};

class Encoder {
 public:
  // How a value is written.
  enum class Form : uint8_t {
    delta,  // what differs from the value before
    full,   // all of it, as if all numbers before were 0
  };

  // Both outlive it.
  Encoder(ByteWriter& out, Written& written, Form form)
      : out_(out), written_(written), form_(form) {}

  // For the next value. The ranges that were written are remembered.
  void set_form(Form form) {
    form_ = form;
    if (form == Form::full) ranges_ = {};
  }

  template <class T>
  requires std::is_enum_v<T>
  void put(T now, T) {
    if (now > last_value(now)) fail("a value is not in its table of last_value()");
    out_.number(static_cast<uint64_t>(now));
  }
  void put(bool now, bool) { out_.byte(now); }
  template <class T>
  requires std::is_integral_v<T>
  void put(T now, T before) {
    out_.difference(static_cast<uint64_t>(now), full() ? 0 : static_cast<uint64_t>(before));
  }
  void put(double now, double before) { out_.real(now, full() ? 0 : before); }
  void put(const std::string& now, const std::string&) { out_.text(now); }

  template <class T>
  void put(const Reading<T>& now, const Reading<T>& before) {
    const bool known = !full() && before.has_value();
    const bool new_value = now.has_value() && !(known && Equal::of(*now, *before));
    const bool new_reason = full() || now.reason != before.reason;
    out_.byte(static_cast<uint8_t>(static_cast<int>(now.status) | now.has_value() << 2 |
                                   new_value << 3 | new_reason << 4));
    if (new_value) {
      if (known)
        put(*now, *before);
      else
        put_new(*now);
    }
    if (new_reason) out_.text(now.reason);
  }

  template <class T>
  void put(const std::optional<T>& now, const std::optional<T>& before) {
    put(now.has_value(), before.has_value());
    if (now) put(*now, before.value_or(T{}));
  }
  template <class T>
  void put(const std::vector<T>& now, const std::vector<T>& before) {
    out_.number(now.size());
    for (size_t i = 0; i < now.size(); ++i) {
      if (i < before.size())
        put(now[i], before[i]);
      else
        put_new(now[i]);
    }
  }
  template <class T, size_t kSize>
  void put(const std::array<T, kSize>& now, const std::array<T, kSize>& before) {
    out_.number(kSize);
    put_changed<kSize>([&](size_t i) { return !Equal::of(now[i], before[i]); },
                       [&](size_t i) { put(now[i], before[i]); });
  }
  template <HasFields T>
  void put(const T& now, const T& before) {
    each_field<T>([&](auto... member) {
      const bool changed[] = {!Equal::of(now.*member, before.*member)...};
      put_bits<sizeof...(member)>([&](size_t i) { return changed[i] || full(); });
      size_t i = 0;
      ((changed[i++] || full() ? put(now.*member, before.*member) : void()), ...);
    });
  }

  // ---- what is written once, or in a way of its own --------------------------------

  void put(const std::shared_ptr<const CallTree>& now,
           const std::shared_ptr<const CallTree>& before);
  void put(const std::vector<Slot>& now, const std::vector<Slot>& before);
  void put(const Series<RatePoint>& now, const Series<RatePoint>&) {
    put(written_.place(std::span<const RatePoint>(now)), ranges_[0]);
  }
  void put(const std::shared_ptr<const OccupancyHistory>& now,
           const std::shared_ptr<const OccupancyHistory>&) {
    out_.number(now ? now->column_ns + 1 : 0);
    if (now) put(written_.place(std::span<const OccupancyColumn>(now->columns)), ranges_[1]);
  }
  void put(const std::vector<ChangeMark>& now, const std::vector<ChangeMark>&) {
    put(written_.place(std::span<const ChangeMark>(now)), ranges_[2]);
  }
  void put(const std::vector<Notice>& now, const std::vector<Notice>&) {
    put(written_.place(std::span<const Notice>(now)), ranges_[3]);
  }
  void put(const std::shared_ptr<const Segment>& now, const std::shared_ptr<const Segment>&) {
    out_.number(written_.number_of(now));
  }
  void put(const std::vector<std::shared_ptr<const Segment>>& now,
           const std::vector<std::shared_ptr<const Segment>>&) {
    out_.number(now.size());
    uint64_t last = 0;
    for (const auto& segment : now) {
      const uint64_t number = written_.number_of(segment);
      out_.difference(number, last);
      last = number;
    }
  }
  void put(const std::shared_ptr<const HostInfo>& now, const std::shared_ptr<const HostInfo>&) {
    out_.number(written_.number_of(now));
  }

  // A value that has none before it.
  template <class T>
  void put_new(const T& value) {
    const Form form = std::exchange(form_, Form::full);
    put(value, T{});
    form_ = form;
  }

 private:
  bool full() const { return form_ == Form::full; }

  template <class T, class Act>
  static void each_field(Act act) {
    std::apply(act, kFields<T>);
  }
  // Which members follow, a bit each.
  template <size_t kCount, class Changed>
  void put_bits(Changed changed) {
    for (size_t begin = 0; begin < kCount; begin += 8) {
      int bits = 0;
      for (size_t i = begin; i < kCount && i < begin + 8; ++i) bits |= changed(i) << (i - begin);
      out_.byte(static_cast<uint8_t>(bits));
    }
  }
  template <size_t kCount, class Changed, class Put>
  void put_changed(Changed changed, Put put_one) {
    const auto has = [&](size_t i) { return full() || changed(i); };
    put_bits<kCount>(has);
    for (size_t i = 0; i < kCount; ++i)
      if (has(i)) put_one(i);
  }
  void put(const Range& now, Range& before) {
    out_.difference(now.begin, before.begin);
    out_.difference(now.end, before.end);
    before = now;
  }
  template <class Value>
  void put_runs(const std::vector<Slot>& slots, Value value);

  ByteWriter& out_;
  Written& written_;
  Form form_;
  std::array<Range, 4> ranges_;
};

}  // namespace pipetop::recording

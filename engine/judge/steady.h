// Verdicts, and what disturbs the measurement, stable enough to read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"

namespace pipetop {

// Whether something limits the rate, as far as that is known.
inline bool is_found(const Verdict& v) { return v.kind != Verdict::Kind::unknown; }
inline bool is_found(const Reading<Verdict>& v) { return v.has_value(); }

inline bool agree(const Verdict& a, const Verdict& b) {
  return a.kind == b.kind && a.stage == b.stage;
}
inline bool agree(const Reading<Verdict>& a, const Reading<Verdict>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || agree(*a, *b));
}

// `Judged`: a Verdict, or a Reading of one.
template <class Judged>
class Steady {
 public:
  // `none`: what is shown before anything was judged.
  explicit Steady(Judged none = {}) : none_(std::move(none)), shown_(none_) {}

  // A verdict is replaced only when something else (another one, or none) was
  // judged without a break for this long.
  static constexpr uint64_t kHold_ns = 1'000'000'000;
  // Nor does one outlive this if only rivals were judged, though none of them lasts.
  static constexpr uint64_t kLongest_ns = 3 * kHold_ns;

  void add(uint64_t now_ns, Judged judged) {
    if (!is_found(shown_) || agree(shown_, judged)) {
      shown_ = std::move(judged);
      rival_since_ns_ = 0;
      judged_ns_ = now_ns;
      return;
    }
    if (rival_since_ns_ == 0 || !agree(rival_, judged)) rival_since_ns_ = now_ns;
    rival_ = std::move(judged);
    if (now_ns < rival_since_ns_ + kHold_ns && now_ns < judged_ns_ + kLongest_ns) return;
    shown_ = std::move(rival_);
    rival_since_ns_ = 0;
    judged_ns_ = now_ns;
  }
  const Judged& shown() const { return shown_; }

  // The settings changed: earlier judgements do not apply.
  void restart() { *this = Steady(none_); }

 private:
  Judged none_, shown_, rival_;
  uint64_t rival_since_ns_ = 0;  // 0: there is none
  uint64_t judged_ns_ = 0;       // that it was the shown one
};

class SteadyNoise {
 public:
  // Said once it has lasted for this long: a cron job is none.
  static constexpr uint64_t kLasts_ns = 2'000'000'000;
  // And until nothing was found for so long.
  static constexpr uint64_t kStays_ns = 5'000'000'000;

  // "" if there is none.
  void add(uint64_t now_ns, std::string found) {
    if (!found.empty()) {
      if (since_ns_ == 0) since_ns_ = now_ns;
      last_ns_ = now_ns;
      if (now_ns >= since_ns_ + kLasts_ns && now_ns >= said_ns_ + kLasts_ns) {
        shown_ = std::move(found);
        said_ns_ = now_ns;
      }
    } else if (now_ns >= last_ns_ + (shown_.empty() ? kBreak_ns : kStays_ns)) {
      *this = {};
    }
  }
  const std::string& shown() const { return shown_; }

 private:
  static constexpr uint64_t kBreak_ns = 500'000'000;  // that does not end it

  std::string shown_;
  uint64_t since_ns_ = 0;  // 0: there is none
  uint64_t last_ns_ = 0;
  uint64_t said_ns_ = 0;  // its numbers change no more often than one can read them
};

}  // namespace pipetop

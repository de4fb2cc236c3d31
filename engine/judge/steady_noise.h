// What disturbs the measurement, stable enough to read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace pipetop {

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

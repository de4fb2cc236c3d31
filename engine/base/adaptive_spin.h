// How long to wait awake for the other end of a pipe.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pipetop {

// How long to spin before going to sleep, learnt from the length of waits.
//
// A wait lasts from a transfer that found the pipe full or empty to the next one that moves bytes.
// Spinning through it takes the CPU. Sleeping through it takes a wakeup: about 5 us, up to 50 us in
// a virtual machine, which the other side may have to wait for: two sleepers make each other's
// waits long. The rules:
//
//   1. `typical` is the mean length of the last waits, including wakeups. If it is
//      at most kMostSpin_ns, spin for twice that time (from kLeastSpin_ns to
//      kMostSpin_ns), then sleep.
//   2. If waits are longer, sleep at the first miss. Their length is still measured,
//      so spinning can start again.
//   3. A spin that ends in sleep was wasted. If the next one is wasted, too, the
//      other side lacks a CPU, maybe ours: sleep through 1, 3, 7 .. kMostPause
//      waits before the next try. A successful spin resets this.
//   4. Nor is a spin worth a CPU that brings fewer than kWorthBytesPerNs: it is wasted, too. Only
//      for who says how many bytes.
//
// If the other side always needs more than kMostSpin_ns, this burns almost no CPU; if it needs
// less, this burns a CPU, like the busy loop.
//
// Time is passed in: `clock()` returns nanoseconds of any monotonic clock; it is called only every
// kTriesPerClockRead misses.
class AdaptiveSpin {
 public:
  static constexpr uint64_t kLeastSpin_ns = 5'000;
  static constexpr uint64_t kMostSpin_ns = 100'000;
  static constexpr uint64_t kMostPause = 1023;  // waits
  static constexpr uint64_t kTriesPerClockRead = 4;
  static constexpr uint64_t kWorthBytesPerNs = 1;

  // A transfer moved nothing.
  template <class Clock>
  void missed(Clock clock) {
    if (sleeps_) return;
    if (misses_++ == 0) spin_ns_ = choose_spin();
    if (spin_ns_ > 0 && misses_ % kTriesPerClockRead != 0) return;
    const uint64_t now_ns = clock();
    if (began_ns_ == 0) began_ns_ = now_ns;
    sleeps_ = now_ns - began_ns_ >= spin_ns_;
  }

  // A transfer moved bytes: if this was a wait, it is over.
  template <class Clock>
  void moved(Clock clock, uint64_t bytes = UINT64_MAX) {
    if (misses_ == 0) return;
    // A wait that ends before the first clock read counts as 0.
    learn(began_ns_ == 0 ? 0 : clock() - began_ns_, bytes);
    misses_ = began_ns_ = 0;
    sleeps_ = false;
  }

  // Whether to sleep before the next transfer, until the pipe is ready.
  bool sleeps() const { return sleeps_; }

 private:
  // The most that one wait counts for, so that a long one is soon forgotten.
  static constexpr uint64_t kLongestCounted_ns = 4 * kMostSpin_ns;
  static constexpr int64_t kWeight = 8;  // weight of the old mean, to 1 for the new value

  uint64_t choose_spin() {
    if (pause_left_ > 0) {
      --pause_left_;
      return 0;
    }
    if (typical_ns_ > kMostSpin_ns) return 0;
    return std::clamp(2 * typical_ns_, kLeastSpin_ns, kMostSpin_ns);
  }

  void learn(uint64_t waited_ns, uint64_t bytes) {
    const auto counted = static_cast<int64_t>(std::min(waited_ns, kLongestCounted_ns));
    const auto typical = static_cast<int64_t>(typical_ns_);
    typical_ns_ = static_cast<uint64_t>(typical + (counted - typical) / kWeight);
    if (spin_ns_ == 0) return;
    if (!sleeps_ && bytes / kWorthBytesPerNs >= waited_ns) {
      in_vain_ = pause_ = 0;
    } else if (++in_vain_ > 1) {
      pause_left_ = pause_ = std::min(2 * pause_ + 1, kMostPause);
    }
  }

  uint64_t typical_ns_ = kMostSpin_ns / 2;
  uint64_t spin_ns_ = 0;   // of this wait
  uint64_t began_ns_ = 0;  // the first clock read in this wait; 0: none yet
  uint64_t misses_ = 0;    // in this wait
  bool sleeps_ = false;
  uint64_t in_vain_ = 0;  // consecutive wasted spins
  uint64_t pause_ = 0, pause_left_ = 0;
};

}  // namespace pipetop

// How long to try again before going to sleep, learnt from how long waits last.
//
// A wait lasts from a transfer that found the pipe full, or empty, to the next one
// that moves bytes. To spin through it takes the CPU. To sleep through it takes a
// wakeup, some 5 us, in a virtual machine up to 50, which the other side may have
// to wait for in its turn: two that sleep make each other's waits long. The rule:
//
//   1. `typical` is the mean length of the last waits, a slept one's wakeup
//      included. Up to kMostSpinNs a wait is short: it is spun for twice that, at
//      least kLeastSpinNs, at most kMostSpinNs, and slept through from then on.
//   2. Longer waits are slept through from the first miss on. They show what the
//      other side takes all the same, so the spinning begins again by itself.
//   3. A spin that ends in sleep was in vain. Is the next one, too, the other side
//      lacks a CPU, maybe ours: 1, 3, 7 .. kMostPause waits are slept through
//      before another try. A spin that finds something ends this.
//
// Against a side that needs more than kMostSpinNs each time this burns next to
// nothing; against one that needs less it burns a CPU, as the busy loop does.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pipetop {

// Time is passed in: `clock()` gives nanoseconds of any monotonic clock, and is asked
// only every kTriesPerClockRead misses.
class AdaptiveSpin {
 public:
  static constexpr uint64_t kLeastSpinNs = 5'000;
  static constexpr uint64_t kMostSpinNs = 100'000;
  static constexpr uint64_t kMostPause = 1023;  // waits
  static constexpr uint64_t kTriesPerClockRead = 4;

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
  void moved(Clock clock) {
    if (misses_ == 0) return;
    // One that is over before the first clock read is taken for nothing.
    learn(began_ns_ == 0 ? 0 : clock() - began_ns_);
    misses_ = began_ns_ = 0;
    sleeps_ = false;
  }

  // Whether to sleep before the next transfer, until the pipe is ready.
  bool sleeps() const { return sleeps_; }

 private:
  // What one wait can count for, lest it take many to forget a long one.
  static constexpr uint64_t kLongestCountedNs = 4 * kMostSpinNs;
  static constexpr int64_t kWeight = 8;  // of all before, to one of the new

  uint64_t choose_spin() {
    if (pause_left_ > 0) {
      --pause_left_;
      return 0;
    }
    if (typical_ns_ > kMostSpinNs) return 0;
    return std::clamp(2 * typical_ns_, kLeastSpinNs, kMostSpinNs);
  }

  void learn(uint64_t waited_ns) {
    const auto counted = static_cast<int64_t>(std::min(waited_ns, kLongestCountedNs));
    const auto typical = static_cast<int64_t>(typical_ns_);
    typical_ns_ = static_cast<uint64_t>(typical + (counted - typical) / kWeight);
    if (spin_ns_ == 0) return;
    if (!sleeps_) {
      in_vain_ = pause_ = 0;
    } else if (++in_vain_ > 1) {
      pause_left_ = pause_ = std::min(2 * pause_ + 1, kMostPause);
    }
  }

  uint64_t typical_ns_ = kMostSpinNs / 2;
  uint64_t spin_ns_ = 0;   // of this wait
  uint64_t began_ns_ = 0;  // the first clock read in this wait; 0: none yet
  uint64_t misses_ = 0;    // in this wait
  bool sleeps_ = false;
  uint64_t in_vain_ = 0;  // spins, one after the other
  uint64_t pause_ = 0, pause_left_ = 0;
};

}  // namespace pipetop

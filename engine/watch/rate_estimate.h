// The rate of a pipe from its ring alone: how far the head moved, times what a slot holds. And from
// what its holders have read and written, where both sides agree.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/model/pipe_scan.h"

namespace pipetop {

class RateEstimate {
 public:
  // A later sample of the same pipe. Resizing renumbers the ring: the interval across it is left
  // out.
  void add(uint64_t at_ns, const RingCounts& ring);

  // Put into the pipe since the first sample; nothing until it could be told once. Never falls.
  std::optional<double> total_bytes() const { return reported_; }

 private:
  // What the head passed in some time.
  struct Passed {
    uint64_t slots = 0, unknown = 0;  // unknown: no slot has said yet how much it held
    double by_slots = 0;              // bytes, without the untold
  };

  // How it was when a stretch of time began, over which the sides may agree.
  struct Begin {
    uint64_t at_ns = 0, queued = 0;
    std::optional<SideBytes> sides;
  };

  void pass(const RingCounts& ring, uint32_t moved);
  std::optional<double> known_by_slots(const RingCounts& ring, uint32_t moved) const;
  bool has_sides_of(const RingCounts& ring) const;
  bool may_agree(const RingCounts& ring) const;
  std::optional<double> agreed(uint64_t at_ns, const RingCounts& ring) const;
  void decide(uint64_t at_ns, const RingCounts& ring, uint32_t moved);
  std::optional<SideBytes> sides_after(uint64_t at_ns, const RingCounts& ring, double bytes) const;
  void settle(uint64_t at_ns, const RingCounts& ring, double bytes);
  double most_passed() const;  // bytes, of what is not settled
  void report();

  std::optional<RingCounts> last_;
  std::optional<double> slot_bytes_;  // of the last slots that told
  double bytes_ = 0;                  // up to where it is settled
  bool settled_ = false;              // ever
  bool disagree_ = false;             // the sides did, when it was settled last

  // Since then: first without sides to ask, and from `begin_` on with them.
  Passed earlier_, passed_;
  uint64_t moves_since_ns_ = 0;
  Begin begin_;

  std::optional<double> agreed_slot_bytes_;  // when the sides last agreed
  std::optional<double> reported_;
};

}  // namespace pipetop

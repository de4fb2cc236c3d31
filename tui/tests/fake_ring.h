// The ring of FakeSource: it breathes, or, in slow motion, fills and drains slot
// by slot.
#pragma once

#include <memory>
#include <random>

#include "engine/model/settings.h"
#include "engine/model/snapshot.h"

namespace pipetop::tui {

enum class FakeMood {
  normal,
  no_bpf,
  warming,
  deep,  // call trees of many places
};

class FakeRing {
 public:
  void fill(RingReadings& ring, const Settings& settings, FakeMood mood, uint64_t now_ns);

 private:
  RingFrame frame(const RingReadings& ring, const Settings& settings, uint64_t now_ns);
  void move_slowly(RingFrame& frame, uint64_t now_ns);
  void add_columns(uint64_t now_ns, bool slow);
  double level(uint64_t at_ns) const;

  std::shared_ptr<OccupancyHistory> history_;
  std::mt19937 random_{2};
  uint64_t begin_ns_ = 0, operation_ns_ = 0;
  uint32_t head_ = 0, tail_ = 0;  // in slow motion
  double slow_share_ = 0;
  bool filling_ = true;
};

}  // namespace pipetop::tui

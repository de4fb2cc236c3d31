// The ring of a pipe as values: every slot now, and its occupancy over time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/base/shared_vector.h"

namespace pipetop {

enum class SlotKind : uint8_t { empty, copy, user_page, page_cache, zero_page, other };
inline constexpr int kSlotKinds = 6;

struct Slot {
  SlotKind kind = SlotKind::empty;
  bool huge = false;         // the page is in a huge page (or large folio)
  bool consecutive = false;  // the page physically follows the previous slot's page
  uint32_t offset = 0;       // bytes into its page
  uint32_t length = 0;       // bytes
  uint32_t flags = 0;        // PIPE_BUF_FLAG_*
  // In slow motion: the page was rewritten since it was lent, and no longer holds what was sent.
  bool rewritten = false;
};

// A snapshot of every slot. In a torn frame both ends moved while it was read, so
// it is not consistent.
struct RingFrame {
  uint64_t at_ns = 0;
  uint32_t slots = 0;  // ring size
  uint32_t head = 0;   // free-running indices, as in the kernel; slot = index mod slots
  uint32_t tail = 0;
  uint32_t used = 0;  // head - tail
  uint32_t readers = 0, writers = 0;
  bool torn = false;
  std::vector<Slot> slot;  // one per slot, by index in the ring
};

inline constexpr int kOccupancyBins = 34;  // empty, 32 equal parts, full

// How full a ring was, of some samples.
struct RingLevel {
  double mean_share = 0;   // of the ring's slots
  double empty_share = 0;  // of the time, or of the samples
  double full_share = 0;
  uint64_t samples = 0;
};

struct Occupancy : RingLevel {
  std::string source = {};  // "switches, 299 Hz", "switches, ticks" or "FIONREAD 10 Hz"
  std::array<double, kOccupancyBins> histogram{};  // shares of the time; sum 1
};

// How full the ring was during a short interval, for a scrolling chart.
struct OccupancyColumn {
  uint64_t end_ns = 0;
  uint32_t samples = 0;                          // 0: there was none
  std::array<uint16_t, kOccupancyBins> count{};  // of the samples
};

struct OccupancyHistory {
  uint64_t column_ns = 0;           // the length of an interval
  Series<OccupancyColumn> columns;  // oldest first, at least 2 minutes
};

struct RingReadings {
  uint32_t slots = 0;  // from F_GETPIPE_SZ
  uint64_t bytes = 0;
  Reading<RingFrame> frame;
  Reading<Occupancy> occupancy;
  // Null while there is none; updated one column at a time.
  std::shared_ptr<const OccupancyHistory> history;
  // Shares of the occupied slots seen, by SlotKind, since the last change took effect, without what
  // was in the ring before.
  Reading<std::array<double, kSlotKinds>> kinds;
};

}  // namespace pipetop

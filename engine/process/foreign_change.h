// The sizes of other people's pipes that we changed, and what they were. Without pointers: a
// guardian shares the memory (engine/process/guardian.h), and a file holds it
// (engine/process/change_ledger.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "engine/model/pipe_scan.h"

namespace pipetop {

// The size of a pipe, changed through one holder. Those of one action have the same number, and are
// of the same pipe; later ones have a higher one.
struct ForeignChange {
  uint32_t step = 0;
  int32_t fd = -1;  // the holder's
  ProcessId process;
  PipeId pipe = {};
  uint64_t before = 0, set = 0;  // bytes
  int32_t is_in_place = 0;       // else it was put back, or there is nothing left to put back
  int32_t error = 0;             // why it could not be put back, the last time
  uint64_t queued = 0;           // bytes in the pipe, then
};
static_assert(std::is_trivially_copyable_v<ForeignChange> && sizeof(ForeignChange) == 72);

// Changes are added to the end, and stay where they are: at any time we may be killed, and the
// guardian reads on. Zeros are an empty list.
struct ChangeList {
  static constexpr uint32_t kMost = 16'384;

  uint32_t count;
  std::array<ForeignChange, kMost> change;

  std::span<const ForeignChange> changes() const { return std::span(change).first(count); }
  std::span<ForeignChange> changes() { return std::span(change).first(count); }
  // Those of a step follow each other, later steps behind them.
  std::span<const ForeignChange> of(uint32_t step) const { return of(changes(), step); }
  std::span<ForeignChange> of(uint32_t step) { return of(changes(), step); }
  bool is_empty() const { return std::ranges::none_of(changes(), &ForeignChange::is_in_place); }

 private:
  template <class Changes>
  static Changes of(Changes all, uint32_t step) {
    return {std::ranges::lower_bound(all, step, {}, &ForeignChange::step),
            std::ranges::upper_bound(all, step, {}, &ForeignChange::step)};
  }
};

// ---- putting changes back ----
//
// What has ended since, and what somebody else has set to another value, is left alone.
//
// Only async-signal-safe calls and no memory: a guardian does it, too. A process that it has to
// look for takes a descriptor, and a pipe's end two.

// What became of the changes of one step.
struct PutBack {
  bool restored = false;  // one, at least
  bool altered = false;   // somebody else has set one since
  int error = 0;          // why one is still in place; 0: none is
};

// If a later step changed the same and is still in place, that one has to be put back first.
PutBack put_back_step(ChangeList& list, uint32_t step);

// The last one first. Returns whether it may help to try again.
bool put_back_all(ChangeList& list);

// Whether that can pass: a full pipe, too few descriptors.
bool may_pass(int error_number);

}  // namespace pipetop

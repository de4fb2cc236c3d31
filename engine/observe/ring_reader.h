// Reads every slot of a pipe where it is, through bpf/ring.bpf.c, and converts what that wrote to
// what front ends draw.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "bpf/ring.h"
#include "engine/model/pipe_scan.h"
#include "engine/model/ring_view.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {

// Reads the ring of a pipe that this process holds.
class RingReader {
 public:
  virtual ~RingReader() = default;

  // Used to identify a slot's kind; until set, every slot is `other`.
  virtual void learn_kinds(const Symbols& symbols) = 0;

  virtual uint64_t pipe_address() const = 0;  // the kernel's

  // Where the sampler's tick puts its copies of the ring.
  virtual int copies_fd() const = 0;

  // Takes a snapshot now, while this process runs, which may have displaced the
  // pipe's writer or reader. Valid until the next call. Throws Error.
  virtual const ring_snapshot& take_snapshot() = 0;

  // The snapshot that a tick of the sampler took, once, when it is complete; else
  // null. Valid until the next call. Throws Error.
  virtual const ring_snapshot* snapshot_of_tick() = 0;
};

// Throws Error, "why; remedy".
std::unique_ptr<RingReader> make_ring_reader(int pipe_fd);

// Reads the rings of pipes that other processes hold, and opens no end.
class ForeignRings {
 public:
  virtual ~ForeignRings() = default;

  // The ring now, through any end of it; unavailable once that end is closed.
  virtual Reading<RingFrame> frame(PipeId pipe, const PipeEnd& end) = 0;
};

// Throws Error, "why; remedy".
std::unique_ptr<ForeignRings> make_foreign_rings();

// A ring of more than RING_SLOTS slots has a head and a tail but no slots, and the
// reading says so.
Reading<RingFrame> frame_of(const ring_snapshot& snapshot);

// Occupied slots seen, by SlotKind.
struct KindCounts {
  std::array<uint64_t, kSlotKinds> by_kind{};

  void add(const ring_snapshot& snapshot);
  Reading<std::array<double, kSlotKinds>> shares() const;
};

}  // namespace pipetop::observe

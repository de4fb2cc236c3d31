// What was seen of one pipe so far: its rate, and how full it was.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/model/pipe_scan.h"
#include "engine/model/pipeline.h"

namespace pipetop {

// The rate of a pipe from its ring alone: how far the head moved, times what a slot holds. And from
// what its holders have read and written, where both sides agree.
class RateEstimate {
 public:
  // A later sample of the same pipe. Resizing renumbers the ring: the interval across it is left
  // out.
  void add(uint64_t at_ns, const RingCounts& ring);

  // Put into the pipe since the first sample; nothing until it could be told once. Never falls.
  std::optional<double> total_bytes() const { return reported_; }

  // Of these bytes: what the two sides say, or what a slot held at least and at most in the last
  // samples. Nothing while none are settled.
  std::optional<EstimateRange> range() const;

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
  // `sides`: what they had moved by then.
  void settle(uint64_t at_ns, const RingCounts& ring, double bytes, const EstimateRange& range,
              const std::optional<SideBytes>& sides);
  // What was put in since `begin_`, and what was taken out and is left.
  struct Through {
    double put, taken;
  };
  Through by_sides(const RingCounts& ring) const;
  EstimateRange range_by_sides(const RingCounts& ring, double bytes) const;
  EstimateRange range_by_slots() const;
  // Bytes of what is not settled.
  double most_passed(const RingCounts& ring) const;
  double passed_by_slots(const RingCounts& ring) const;
  void report();

  std::optional<RingCounts> last_;
  double bytes_ = 0;                // up to where it is settled
  double least_ = 0, most_ = 0;     // of these
  std::vector<double> slot_sizes_;  // bytes, of the last samples that told; oldest first
  bool settled_ = false;            // ever
  bool disagree_ = false;           // the sides did, when it was settled last

  // Since then: first without sides to ask, and from `begin_` on with them.
  Passed earlier_, passed_;
  uint64_t moves_since_ns_ = 0;
  Begin begin_;

  std::optional<double> agreed_slot_bytes_;  // when the sides last agreed
  std::optional<double> reported_;
};

// How full a ring is in a scan.
struct RingFill {
  double used = 0;  // share of its slots; without BPF, of its bytes
  bool empty = false, full = false;
  bool peer_full = false;  // see SocketLink
};

// `writer_waits`: one is blocked in a write, so that it is full whatever its bytes say: slots need
// not be filled up. Nothing if neither slots nor bytes are known.
std::optional<RingFill> fill_of(const ScannedPipe& pipe, bool writer_waits);

// The rate over about the last second, of a total that grows.
class RecentRate {
 public:
  void add(uint64_t at_ns, double total);
  void clear() { points_.clear(); }

  // Between the oldest point of the last second, or the last one before it, and the newest; nothing
  // until they are 300 ms apart.
  std::optional<double> per_s() const;

 private:
  struct Point {
    uint64_t at_ns;
    double total;
  };
  std::vector<Point> points_;  // oldest first
};

// Looks at a ring, from scans: shares of the last `window_ns`.
class RingSampleLog {
 public:
  void add(uint64_t at_ns, uint64_t window_ns, const RingFill& fill);
  void clear() { samples_.clear(); }
  std::optional<RingLevel> shares() const;  // nothing until there is one
  double peer_full_share() const;

 private:
  struct Sample {
    uint64_t at_ns;
    float used;
    bool empty, full, peer_full;
  };
  std::vector<Sample> samples_;  // oldest first
};

// Rate, in bytes per second, and fill for a chart: a point for about 100 ms, of two minutes.
struct PipeCurves {
  Series<RatePoint> rates, fill;
};

// All that is remembered of it.
class PipeHistory {
 public:
  // `made_after_ns`: the last scan of all pipes, if it was not there then. The head of its ring
  // began at 0, so that what it moved before it was seen is known, too.
  explicit PipeHistory(uint64_t first_seen_ns, std::optional<uint64_t> made_after_ns = {})
      : first_seen_ns_(first_seen_ns), made_after_ns_(made_after_ns) {}

  uint64_t first_seen_ns() const { return first_seen_ns_; }
  std::optional<uint64_t> made_after_ns() const { return made_after_ns_; }

  // A later sample; see fill_of(). Samples of a shorter distance than 90 ms count as one for
  // shares().
  void add_sample(const ScannedPipe& pipe, uint64_t window_ns, bool writer_waits);

  // Bytes that were moved since counting began, by the system calls' return values. The first time
  // they replace the estimate if they are `all` that ever were; else the larger one stands, and
  // from then on what is counted adds to it.
  void count(uint64_t at_ns, uint64_t bytes, bool all = false);
  void stop_counting();
  bool exact() const { return counted_.has_value(); }
  // The kernel counts what goes through a TCP connection.
  bool is_counted_by_kernel() const { return by_kernel_.has_value(); }

  // Bytes that were moved since the last time, by other sources, where no ring is seen; nothing: it
  // can't be told.
  void add(uint64_t at_ns, std::optional<uint64_t> bytes);

  Reading<double> bytes_per_s() const;
  std::optional<uint64_t> total_bytes() const;  // since it was first seen, or made
  std::optional<EstimateRange> range() const;   // nothing: exact, or not known
  Reading<RingLevel> shares() const;            // from samples
  double peer_full_share() const { return samples_.peer_full_share(); }
  void restart_shares() { samples_.clear(); }

  // Keeps a history from now on.
  void track();
  const PipeCurves* history() const { return history_.get(); }  // null: not tracked

 private:
  // Data moves, but no call has told how much: by io_uring, by a 32-bit program, or in one long
  // call.
  bool is_uncounted() const {
    return counted_ == 0 && uncounted_from_ && head_ != *uncounted_from_;
  }
  void estimate(const ScannedPipe& pipe);
  void take_count(const ScannedPipe& pipe);
  void advance(uint64_t at_ns, double bytes);
  void add_point(uint64_t at_ns);

  uint64_t first_seen_ns_, sampled_ns_ = 0, counted_sample_ns_ = 0;
  std::optional<uint64_t> made_after_ns_;
  RateEstimate estimate_;
  std::optional<uint32_t> first_head_, uncounted_from_;  // heads; at the begin of counting
  uint32_t head_ = 0;
  uint32_t slots_ = 0;                 // of the ring at the last sample
  bool moved_ = false;                 // the head, ever
  std::optional<double> estimated_;    // the last total of the estimate
  std::optional<uint64_t> counted_;    // the last exact count
  std::optional<uint64_t> by_kernel_;  // the kernel's last count, of a TCP connection
  bool is_unix_ = false;
  std::optional<double> total_;
  RecentRate recent_;
  RingSampleLog samples_;
  std::optional<double> fill_;
  std::unique_ptr<PipeCurves> history_;
  uint64_t point_ns_ = 0;  // when the last point was made, and the total then
  std::optional<double> point_total_;
};

}  // namespace pipetop

// How full the ring is over time: since a restart, and as a history.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "engine/model/ring_view.h"

namespace pipetop::observe {

// Cumulative time by how full the ring was; see bpf/occupancy.bpf.h.
struct OccupancyCounts {
  static constexpr uint64_t kShareOne = 0xffff;

  struct Time {
    std::array<uint64_t, kOccupancyBins> ns{};
    uint64_t share_ns = 0;  // sum of share * ns / 16; a share is in kShareOne

    uint64_t total_ns() const;
    // `ns` at one share.
    void add(uint64_t share, uint64_t share_ns);
  };

  // Time in which the ring moved, and a fair sample of what it did then.
  struct Motion {
    uint64_t ns = 0;
    Time sampled;
  };

  Time still;           // no role ran
  Motion one, both;     // one role ran; both did
  uint64_t points = 0;  // that the ring was read

  // The ring stood still like this for `ns`.
  void add(uint32_t used, uint32_t slots, uint64_t ns);
  OccupancyCounts since(const OccupancyCounts& before) const;
};

// `source` says who read the ring: "switches, 999 Hz".
Reading<Occupancy> occupancy_of(const OccupancyCounts& counts, const std::string& source);

// Occupancy without BPF. Every sample takes the pipe's mutex and disturbs the
// measurement, so they are few; the number of bytes gives only a rough number of
// slots.
class FionreadOccupancy {
 public:
  explicit FionreadOccupancy(int pipe_fd) : pipe_fd_(pipe_fd) {}

  void poll(uint64_t now_ns);
  Reading<Occupancy> reading(const OccupancyCounts& before) const;
  const OccupancyCounts& counts() const { return counts_; }  // cumulative

 private:
  static constexpr uint64_t kInterval_ns = 100'000'000;

  int pipe_fd_;
  uint64_t next_ns_ = 0;
  OccupancyCounts counts_;
  std::string refused_;
};

// How full the ring was over time, for a scrolling chart. It continues across
// changes and resizes, because its bins are shares of the ring.
class OccupancyRecorder {
 public:
  static constexpr uint64_t kColumn_ns = 200'000'000;
  static constexpr size_t kColumns = 640;  // a little over 2 minutes

  // Whether the current column has lasted long enough for add() to close it.
  bool due(uint64_t now_ns) const { return now_ns >= begun_ns_ + kColumn_ns; }

  // Closes the column with what was counted since the last call; the counts are
  // cumulative. A long interval without a call makes no column: nobody knows when
  // during it the ring was how full. Returns what was counted since then.
  OccupancyCounts add(uint64_t now_ns, const OccupancyCounts& counts);

  // The counters were replaced: the next counts are not compared with the last.
  void change_source() {
    begun_ns_ = 0;
    ends_.clear();
  }

  // Of the time before `from_ns`, up to the last column that ended then; nothing if none has.
  const OccupancyCounts* counts_at(uint64_t from_ns) const;

  // Null before the first column.
  std::shared_ptr<const OccupancyHistory> history() const { return history_; }

 private:
  static constexpr uint64_t kLongest_ns = 5 * kColumn_ns;

  static constexpr size_t kEnds = 64;  // a window of ten seconds

  struct End {
    uint64_t at_ns;
    OccupancyCounts counts;
  };

  uint64_t begun_ns_ = 0;  // 0: there is nothing to compare with
  OccupancyCounts before_;
  std::deque<End> ends_;  // of the newest columns, oldest first
  std::shared_ptr<const OccupancyHistory> history_;
};

// The points of the counts, spread as their time is; no time becomes 0.
OccupancyColumn column_of(uint64_t end_ns, const OccupancyCounts& counts);

}  // namespace pipetop::observe

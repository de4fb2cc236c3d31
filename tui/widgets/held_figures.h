// Figures that change no more often than they can be read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop::tui {

inline constexpr uint64_t kDashboardHolds_ns = 500'000'000;
inline constexpr uint64_t kShowHolds_ns = 1'000'000'000;  // somebody reads them aloud

// Replaces the figures of a snapshot by those of one earlier instant, so that all digits, shares
// and bars of a screen change together. Time, history, settings and the slots of rings go on. A new
// segment, and a figure that becomes known or unknown, are shown at once: nothing old stands under
// a new title.
class HeldFigures {
 public:
  void hold(Snapshot& now, uint64_t for_ns);

  // The next one is shown as it is.
  void let_go() { at_ns_ = 0; }

 private:
  // What makes the held ones wrong as soon as it changes.
  struct Occasion {
    uint32_t segment = 0;
    bool settled = false;
    std::array<ReadingStatus, 6> known = {};
    std::array<ProcessState, kRoles> states = {};
    size_t parts = 0;
    // A watched pipeline has these.
    std::vector<ProcessId> stages = {};
    std::vector<PipeId> pipes = {};
    std::vector<uint64_t> watched = {};
    bool operator==(const Occasion&) const = default;
  };
  static Occasion occasion_of(const Snapshot& s);
  static void add_watched(Occasion& o, const Snapshot& s);

  Snapshot held_;  // only its figures
  Occasion occasion_;
  uint64_t at_ns_ = 0;  // 0: nothing is held
};

}  // namespace pipetop::tui

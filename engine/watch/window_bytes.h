// The bytes of pipes over a window: what a result says of them is of all of the window, and not of
// the last second that a screen shows.
#pragma once

#include <cstdint>
#include <map>

#include "engine/model/snapshot.h"

namespace pipetop {

class WindowBytes {
 public:
  // The window begins: what moved before doesn't count.
  void begin(const Snapshot& now);

  // Makes all rates those of the window, and with `totals` the bytes, too. Without, as for one
  // window after the other, a pipe whose bytes only became known in this one keeps its rate: they
  // may have moved before.
  void apply(Snapshot& now, bool totals) const;

 private:
  void set(Pipe& pipe, uint64_t now_ns, bool totals) const;

  uint64_t begin_ns_ = 0;
  std::map<PipeId, uint64_t> before_;
};

}  // namespace pipetop

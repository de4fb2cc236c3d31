// Which side a copy waits for most of the time, by a few looks per second: each asks whether
// the input is empty or the output is full.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "engine/copy/copier.h"

namespace pipetop::tui {

class Waiting {
 public:
  void add(CopySide side);

  // That of more than half of the last looks, if there were some.
  CopySide side() const;

 private:
  std::deque<CopySide> samples_;
};

// "waiting for gzip", "held up by ssh"; for a neighbour without a name "waiting for stdin". "" for
// neither side.
std::string waiting_text(CopySide side, const std::string& upstream, const std::string& downstream);

}  // namespace pipetop::tui

// Which side a transfer waits for most of the time, by a few looks per second: each asks whether
// the input is empty or the output is full.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "engine/transfer/transfer.h"

namespace pipetop::tui {

class Waiting {
 public:
  void look(TransferSide side);

  // That of more than half of the last looks, if there were some.
  TransferSide side() const;

 private:
  std::deque<TransferSide> looks_;
};

// "waiting for gzip", "held up by ssh"; for a neighbour without a name "waiting for stdin". "" for
// neither side.
std::string waiting_text(TransferSide side, const std::string& upstream,
                         const std::string& downstream);

}  // namespace pipetop::tui

// Keeps words written to standard error off the screen while curses owns it,
// and says them afterwards.
#pragma once

#include "engine/base/unique_fd.h"

namespace pipetop::tui {

class ParkedStderr {
 public:
  // Does nothing where standard error is no terminal: it harms no screen.
  ParkedStderr();
  ~ParkedStderr();
  ParkedStderr(const ParkedStderr&) = delete;
  ParkedStderr& operator=(const ParkedStderr&) = delete;

  // Gives standard error back and writes out what was kept; then keeps again.
  // Both are async-signal-safe.
  void release() const;
  void park() const;

 private:
  UniqueFd memory_, original_;
};

}  // namespace pipetop::tui

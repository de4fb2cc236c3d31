// Messages for the user, on stderr; data goes to stdout.
#pragma once

#include <string>

#include "engine/experiment/trial.h"
#include "tui/print/run_result.h"

namespace pipetop::tui {

// "pipetop: ..." as one line.
void say(const std::string& message);

// Progress of long work: a line on the terminal that is overwritten, and removed at
// the end.
class ProgressLine {
 public:
  // Shows nothing if stderr is not a terminal whose lines can be overwritten, or if it is not
  // `wanted`.
  explicit ProgressLine(bool wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void clear();

  // Clears the line when `interrupts` suspend us, and says `what` follows.
  void give_way_to(Interrupts& interrupts, const std::string& what);

 private:
  bool wanted_;
  bool shown_ = false;
};

// Says the warnings of a result. Returns the exit status of a command that
// `interrupts` have ended, or else of that result.
int exit_status(const Assessment& assessment, const Interrupts& interrupts);

// For a command that was ended before it had a result.
int ended_early(const Interrupts& interrupts, const std::string& before_what);

}  // namespace pipetop::tui

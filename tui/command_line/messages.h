// What is said to the person, on stderr; data goes to stdout.
#pragma once

#include <string>

#include "engine/experiment/interrupts.h"
#include "tui/print/run_result.h"

namespace pipetop::tui {

// "pipetop: ..." as one line.
void say(const std::string& message);

// How far long work has come: a line on the terminal that is drawn over, and gone
// in the end.
class ProgressLine {
 public:
  // Shows nothing where stderr is no terminal that can be drawn over, or when it is not
  // `wanted`.
  explicit ProgressLine(bool wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void clear();

  // Makes room for the shell when `interrupts` suspend us, and says `what` follows.
  void give_way_to(Interrupts& interrupts, const std::string& what);

 private:
  bool wanted_;
  bool shown_ = false;
};

// Says the warnings of a result. Returns the exit status of a command that
// `interrupts` have ended, or else of that result.
int exit_status(const Assessment& assessment, const Interrupts& interrupts);

// Of a command that was ended before it had a result.
int ended_early(const Interrupts& interrupts, const std::string& before_what);

}  // namespace pipetop::tui

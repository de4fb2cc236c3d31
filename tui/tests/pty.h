// A program on a terminal of its own, for tests.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/base/handles.h"
#include "engine/tests/run_tests.h"

namespace pipetop::tui {

// Of a terminal as most people have it.
inline const std::vector<std::string> kTerminal = {"TERM=xterm-256color", "LC_ALL=C.UTF-8",
                                                   "NO_COLOR="};

// It did not end, however long that was waited for.
inline constexpr int kStillRuns = 1000;

class PtyProgram {
 public:
  // Environment entries as "NAME=value" are added to ours.
  PtyProgram(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
             int rows = 24, int cols = 80);
  ~PtyProgram();
  PtyProgram(const PtyProgram&) = delete;
  PtyProgram& operator=(const PtyProgram&) = delete;

  pid_t pid() const { return pid_; }

  // Reads until it is so, or until `text` comes after what was found last; false when the
  // program ended before.
  bool wait_until(const std::function<bool()>& is_so);
  bool wait_for(const std::string& text);
  void send(const std::string& keys);
  void resize(int rows, int cols);
  void signal(int number);
  // Closes our end, as a terminal window does.
  void hang_up();
  // Waits for the end and reads what is left: the exit status, or minus the signal that ended it.
  int wait_for_end();

  // As they are, or were when the program ended.
  termios settings() const;
  // As they were before the program could change them.
  const termios& before() const { return before_; }
  const std::string& output() const { return output_; }
  // For programs that run for hours.
  void forget_output();
  // Whether it has read everything that was sent.
  bool has_read_input() const;

 private:
  bool read_more(int timeout_ms);
  void read_the_rest();
  bool found(const std::string& text);

  UniqueFd master_, slave_;  // the slave stays open, so that its settings do too
  termios before_{}, last_{};
  pid_t pid_ = -1;
  std::string output_;
  size_t seen_ = 0;  // where the text that was found last ends
  const ToldOnFailure told_;
};

}  // namespace pipetop::tui

// Somebody who presses keys at random, clicks, resizes the window and kills workers.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tui/tests/pty.h"

namespace pipetop::tui {

class Monkey {
 public:
  Monkey(PtyProgram& program, uint64_t seed);

  // One action, and a pause of up to half a second.
  void act();
  // Continues the worker that it stopped.
  void let_go();
  void resize_to(int rows, int cols);

  unsigned keys() const { return keys_; }
  unsigned clicks() const { return clicks_; }
  unsigned resizes() const { return resizes_; }
  unsigned kills() const { return kills_; }
  unsigned stops() const { return stops_; }
  // What it did last, newest last.
  const std::vector<std::string>& last() const { return last_; }

 private:
  void press();
  void click();
  void resize();
  void kill_worker();
  void stop_worker();
  pid_t any_worker();
  void say(std::string what);
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  PtyProgram& program_;
  std::mt19937_64 random_;
  const std::vector<std::string> all_keys_;
  std::vector<std::string> last_;
  int rows_ = 0, cols_ = 0;
  pid_t stopped_ = 0;
  uint64_t stopped_until_ns_ = 0;
  unsigned keys_ = 0, clicks_ = 0, resizes_ = 0, kills_ = 0, stops_ = 0;
};

}  // namespace pipetop::tui

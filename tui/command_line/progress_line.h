// How far long work has come: a line on the terminal that is drawn over, and gone
// in the end.
#pragma once

#include <string>

namespace pipetop::tui {

class ProgressLine {
 public:
  // Shows nothing where stderr is no terminal, or when it is not `wanted`.
  explicit ProgressLine(bool wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void clear();

 private:
  bool wanted_;
  bool shown_ = false;
};

}  // namespace pipetop::tui

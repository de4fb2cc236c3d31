#include "tui/command_line/progress_line.h"

#include <fmt/format.h>

#include <cstdio>

#include "tui/command_line/words.h"

namespace pipetop::tui {

ProgressLine::ProgressLine(bool wanted) : wanted_(wanted && words_go_to_terminal()) {}

void ProgressLine::show(const std::string& text) {
  if (!wanted_) return;
  fmt::print(stderr, "\r{}\x1b[K", text);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace pipetop::tui

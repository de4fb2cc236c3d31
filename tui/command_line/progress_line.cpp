#include "tui/command_line/progress_line.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "tui/command_line/words.h"
#include "tui/draw/text_width.h"

namespace pipetop::tui {

namespace {

// What is wider would wrap, and a line that has wrapped cannot be drawn over.
int columns() {
  constexpr int kUsual = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : kUsual;
}

}  // namespace

ProgressLine::ProgressLine(bool wanted) : wanted_(wanted && words_go_to_terminal()) {}

void ProgressLine::show(const std::string& text) {
  if (!wanted_) return;
  fmt::print(stderr, "\r{}\x1b[K", beginning(text, columns() - 1));
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace pipetop::tui

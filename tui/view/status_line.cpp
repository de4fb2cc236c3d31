#include "tui/view/status_line.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr int kUsualCols = 80;

}  // namespace

int StatusLine::cols() const {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (known ? size.ws_col : kUsualCols) - 1;
}

bool StatusLine::can_show() const {
  const pid_t foreground = ::tcgetpgrp(STDERR_FILENO);  // -1: not our terminal, or none
  if (foreground != -1 && foreground != ::getpgrp()) return false;
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

// Blanks over the rest of a longer one: not everything that is a terminal knows sequences.
void StatusLine::show(const std::string& text) {
  const int now_cols = columns_of(text), room = std::max(cols() - now_cols, 0);
  const int blanks = std::clamp(shown_cols_ - now_cols, 0, room);  // it may be narrower by now
  write_to_stderr("\r" + text + std::string(size_t(blanks), ' '));
  shown_cols_ = std::max(now_cols, 1);
}

void StatusLine::end() {
  if (is_open()) write_to_stderr("\n");
  shown_cols_ = 0;
}

void write_to_stderr(const std::string& text) {
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace pipetop::tui

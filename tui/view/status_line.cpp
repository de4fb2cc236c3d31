#include "tui/view/status_line.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tui/draw/text.h"

namespace pipetop::tui {

int StatusLine::cols() const { return terminal_columns(STDERR_FILENO, 80) - 1; }

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

void StatusLine::clear() {
  if (is_open())
    write_to_stderr("\r" + std::string(size_t(std::min(shown_cols_, cols())), ' ') + "\r");
  shown_cols_ = 0;
}

int terminal_columns(int fd, int usual) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : usual;
}

void write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text.remove_prefix(size_t(done));
  }
}

}  // namespace pipetop::tui

#include "tui/command_line/messages.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.h"
#include "engine/config/text_file.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

bool can_be_drawn_over() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal && std::string_view(terminal) != "dumb";
}

// Longer text would wrap, and a wrapped line cannot be overwritten.
int columns() {
  constexpr int kUsual = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : kUsual;
}

}  // namespace

void say(const std::string& message) {
  const std::string line = "pipetop: " + one_line(message) + "\n";
  // Not through stdio, which would discard the text on an error.
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

ProgressLine::ProgressLine(bool wanted) : wanted_(wanted && can_be_drawn_over()) {}

void ProgressLine::show(const std::string& text) {
  if (!wanted_) return;
  fmt::print(stderr, "\r{}\x1b[K", beginning(text, columns() - 1));
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

void ProgressLine::give_way_to(Interrupts& interrupts, const std::string& what) {
  interrupts.suspending = [this, what] {
    clear();
    say("suspended: " + what);
  };
}

int exit_status(const Assessment& assessment, const Interrupts& interrupts) {
  for (const std::string& warning : assessment.warnings) say(warning);
  if (interrupts.signal() != 0) return kSignalExit + interrupts.signal();
  return static_cast<int>(assessment.exit);
}

int ended_early(const Interrupts& interrupts, const std::string& before_what) {
  say("ended before " + before_what);
  return kSignalExit + interrupts.signal();
}

}  // namespace pipetop::tui

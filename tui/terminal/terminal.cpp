#include "tui/terminal/terminal.h"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace pipetop::tui {

namespace {

struct Code {
  wint_t curses;
  Key ours;
};
constexpr Code kCodes[] = {
    {KEY_UP, key::up},
    {KEY_DOWN, key::down},
    {KEY_LEFT, key::left},
    {KEY_RIGHT, key::right},
    {KEY_PPAGE, key::page_up},
    {KEY_NPAGE, key::page_down},
    {KEY_HOME, key::home},
    {KEY_END, key::end},
    {KEY_BTAB, key::back_tab},
    {KEY_ENTER, key::enter},
    {KEY_BACKSPACE, key::backspace},
};

Input key_input(Key key) { return {Input::Kind::key, key, {}}; }

Key special_key(wint_t code) {
  const auto found = std::ranges::find(kCodes, code, &Code::curses);
  return found == std::end(kCodes) ? key::other : found->ours;
}

Input mouse_input() {
  MEVENT event;
  if (getmouse(&event) != OK) return key_input(key::other);
  Input input{Input::Kind::mouse, 0, {event.y, event.x, MouseAct::press}};
  if (event.bstate & BUTTON4_PRESSED) input.mouse.act = MouseAct::wheel_up;
  if (event.bstate & BUTTON5_PRESSED) input.mouse.act = MouseAct::wheel_down;
  return input;
}

}  // namespace

Terminal::Terminal(const TerminalOptions& options)
    : kind_(require_terminal(options)), screen_(kind_.colors) {
  resize();
}

// Cells [begin, end) of a row, all of one ink.
void Terminal::put_run(const Canvas& canvas, int row, int begin, int end) {
  const Cell* cells = canvas.row(row);
  run_.clear();
  for (int c = begin; c < end; ++c) {
    if (cells[c].glyph != 0) run_.push_back(static_cast<wchar_t>(cells[c].glyph));
  }
  screen_.use(cells[begin].ink);
  // Fails at the last cell, because the cursor cannot advance; the cell is drawn.
  mvaddnwstr(row, begin, run_.data(), static_cast<int>(run_.size()));
}

void Terminal::show_row(const Canvas& canvas, int row) {
  const Cell* now = canvas.row(row);
  const Cell* before = shown_->row(row);
  for (int c = 0; c < canvas.cols();) {
    if (now[c] == before[c]) {
      ++c;
      continue;
    }
    // A wide character is always rewritten whole.
    const int begin = now[c].glyph == 0 && c > 0 ? c - 1 : c;
    int end = c + 1;
    while (end < canvas.cols() && now[end].ink == now[begin].ink &&
           (now[end] != before[end] || now[end].glyph == 0))
      ++end;
    put_run(canvas, row, begin, end);
    c = end;
  }
}

void Terminal::show(const Canvas& canvas) {
  if (!shown_ || shown_->rows() != canvas.rows() || shown_->cols() != canvas.cols()) {
    erase();
    shown_.emplace(canvas.glyphs(), canvas.rows(), canvas.cols());
  }
  for (int row = 0; row < canvas.rows(); ++row) show_row(canvas, row);
  shown_ = canvas;
  screen_.refresh();
}

int Terminal::rows() const { return LINES; }
int Terminal::cols() const { return COLS; }

Input Terminal::read() {
  for (;;) {
    wint_t code = 0;
    const int result = get_wch(&code);
    if (result == ERR) return {};
    if (result != KEY_CODE_YES) return key_input(static_cast<Key>(code));
    if (code == KEY_MOUSE) return mouse_input();
    // The size is queried on SIGWINCH; this event only repeats it.
    if (code != KEY_RESIZE) return key_input(special_key(code));
  }
}

void Terminal::forget() {
  shown_.reset();
  clearok(curscr, TRUE);
}

bool Terminal::hung_up() const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, 0) <= 0) return false;
  if (input.revents & (POLLHUP | POLLERR | POLLNVAL)) return true;
  int available = 0;
  return ioctl(STDIN_FILENO, FIONREAD, &available) != 0 || available == 0;
}

void Terminal::resize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
  if (size.ws_row == LINES && size.ws_col == COLS) return;
  resizeterm(size.ws_row, size.ws_col);
  forget();
}

void Terminal::resume() {
  screen_.resume();
  resize();
  forget();
}

}  // namespace pipetop::tui

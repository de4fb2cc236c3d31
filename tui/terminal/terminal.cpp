#include "tui/terminal/terminal.h"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "tui/terminal/curses_screen.h"
#include "tui/terminal/terminal_kind.h"

namespace pipetop::tui {

class Terminal::Session {
 public:
  explicit Session(const TerminalOptions& options)
      : kind(require_terminal(options)), screen(kind.colors) {}

  void show(const Canvas& canvas);
  void forget() { shown_rows_ = shown_cols_ = -1; }

  const TerminalKind kind;
  CursesScreen screen;

 private:
  void show_row(const Canvas& canvas, int row);
  void put_run(const Canvas& canvas, int row, int begin, int end);

  std::vector<Cell> shown_;  // what curses was told last
  int shown_rows_ = -1, shown_cols_ = -1;
  std::vector<wchar_t> run_;
};

// Cells [begin, end) of a row, all of one ink.
void Terminal::Session::put_run(const Canvas& canvas, int row, int begin, int end) {
  const Cell* cells = canvas.row(row);
  run_.clear();
  for (int c = begin; c < end; ++c) {
    if (cells[c].glyph != 0) run_.push_back(static_cast<wchar_t>(cells[c].glyph));
  }
  screen.use(cells[begin].ink);
  // Fails at the last cell, because the cursor cannot advance; the cell is drawn.
  mvaddnwstr(row, begin, run_.data(), static_cast<int>(run_.size()));
}

void Terminal::Session::show_row(const Canvas& canvas, int row) {
  const Cell* now = canvas.row(row);
  const Cell* before = shown_.data() + static_cast<size_t>(row) * size_t(canvas.cols());
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

void Terminal::Session::show(const Canvas& canvas) {
  if (shown_rows_ != canvas.rows() || shown_cols_ != canvas.cols()) {
    erase();
    shown_.assign(static_cast<size_t>(canvas.rows()) * size_t(canvas.cols()), Cell{});
    shown_rows_ = canvas.rows();
    shown_cols_ = canvas.cols();
  }
  for (int row = 0; row < canvas.rows(); ++row) show_row(canvas, row);
  if (!shown_.empty()) std::copy_n(canvas.row(0), shown_.size(), shown_.data());
  screen.refresh();
}

Terminal::Terminal(const TerminalOptions& options) : session_(std::make_unique<Session>(options)) {
  resize();
}
Terminal::~Terminal() = default;

GlyphSet Terminal::glyphs() const { return session_->kind.glyphs; }
void Terminal::show(const Canvas& canvas) { session_->show(canvas); }
int Terminal::rows() const { return LINES; }
int Terminal::cols() const { return COLS; }
void Terminal::set_mouse(bool on) { session_->screen.set_mouse(on); }
bool Terminal::mouse() const { return session_->screen.mouse(); }
void Terminal::suspend() { session_->screen.suspend(); }

void Terminal::forget() {
  session_->forget();
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
  session_->screen.resume();
  resize();
  forget();
}

}  // namespace pipetop::tui

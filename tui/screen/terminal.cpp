#include "tui/screen/terminal.h"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

constexpr int kEscapeDelay_ms = 25;
struct CursorKey {
  const char* sequence;
  int code;
};
constexpr CursorKey kPlainCursorKeys[] = {{"\033[A", KEY_UP},    {"\033[B", KEY_DOWN},
                                          {"\033[C", KEY_RIGHT}, {"\033[D", KEY_LEFT},
                                          {"\033[H", KEY_HOME},  {"\033[F", KEY_END}};
constexpr std::array kCursesSignals = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
constexpr mmask_t kMouseEvents =
    BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED;
static_assert(sizeof(attr_t) == sizeof(unsigned));

termios current_settings(int in) {
  termios settings{};
  if (tcgetattr(in, &settings) != 0) throw SystemError("reading the terminal's settings", errno);
  return settings;
}

// What is drawn of a larger one: the memory grows with the area.
constexpr unsigned short kMostRows = 600, kMostCols = 1600;

// No rows if the terminal does not tell.
winsize told_size(int out) {
  winsize size{};
  if (ioctl(out, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return size;
}

winsize terminal_size(int out) {
  winsize size = told_size(out);
  size.ws_row = std::min(size.ws_row, kMostRows);
  size.ws_col = std::min(size.ws_col, kMostCols);
  return size;
}

// Reads of a terminal of our own must not take what stdin holds.
std::FILE* opened_keys(int in) {
  if (in == STDIN_FILENO) return stdin;
  UniqueFd copy(fcntl(in, F_DUPFD_CLOEXEC, 3));
  std::FILE* file = copy ? fdopen(copy.get(), "r") : nullptr;
  if (!file) throw SystemError("reopening the terminal", errno);
  copy.release();  // closed with the file
  return file;
}

screen* new_screen(std::FILE* output, std::FILE* keys, int out) {
  // Curses would allocate whatever size it is. Otherwise it needs to ask: the descriptions of some
  // types, such as the Linux console's, have no size.
  const winsize told = told_size(out);
  use_env(told.ws_row <= kMostRows && told.ws_col <= kMostCols);
  screen* made = newterm(nullptr, output, keys);
  if (!made) throw Error("the terminal could not be set up for the dashboard");
  return made;
}

void set_modes() {
  set_escdelay(kEscapeDelay_ms);
  // Raw: Ctrl-C and Ctrl-Z arrive as keys and reach no worker; Ctrl-S has no effect.
  raw();
  noecho();
  nonl();
  nodelay(stdscr, TRUE);
  keypad(stdscr, TRUE);
  // As terminals send them that do not know keypad mode: else a letter of theirs would be a key.
  for (const auto& [sequence, code] : kPlainCursorKeys) define_key(sequence, code);
  leaveok(stdscr, TRUE);
  scrollok(stdscr, FALSE);
  mouseinterval(0);
  typeahead(-1);  // drawing a frame is not interrupted by a key
  curs_set(0);
}

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
    {KEY_F(1), key::f1},
    {KEY_F(5), key::f5},
    {KEY_F(6), key::f6},
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

constexpr uint64_t kAnswerTakes = kSecond;  // at most, also through a slow network
constexpr uint64_t kAwaitAnswer = 100 * kMs;

// By ThemeChoice, without `automatic`.
Theme theme_of(ThemeChoice choice) { return static_cast<Theme>(static_cast<int>(choice) - 1); }
static_assert(static_cast<int>(ThemeChoice::high_contrast) == kThemes);

}  // namespace

void Terminal::CloseKeys::operator()(std::FILE* file) const {
  if (file != stdin) std::fclose(file);
}

Terminal::Terminal(const Config& config, const TerminalFiles& files)
    : files_(files),
      kind_(require_terminal(config, files)),
      theme_(config.theme),
      own_theme_(theme_from(getenv("COLORFGBG"))),
      saved_(current_settings(files.in)),
      actions_(kCursesSignals),
      output_(files.out),
      keys_(opened_keys(files.in)),
      screen_(new_screen(output_.file(), keys_.get(), files.out)) {
  set_modes();
  start_colors();
  set_mouse(true);
  resize();
}

Terminal::~Terminal() {
  set_mouse(false);
  suspend();
  delscreen(screen_);
}

void Terminal::arm_guard() {
  guard_.reset();
  guard_.emplace(files_, saved_, restore_bytes(mouse_), parked_);
}

void Terminal::set_mouse(bool on) {
  output_.begin();
  mouse_ = mousemask(on ? kMouseEvents : 0, nullptr) != 0;
  output_.end();
  arm_guard();
}

void Terminal::use(Ink ink) const {
  const auto index = static_cast<size_t>(ink.style);
  attr_t attributes = attributes_[index];
  if (ink.emphasis & kBold) attributes |= A_BOLD;
  if (ink.emphasis & kReverse) attributes |= A_REVERSE;
  const short pair = has_pair_[index] ? static_cast<short>(index + 1) : short{0};
  attr_set(attributes, pair, nullptr);
}

void Terminal::suspend() {
  await_background();
  guard_.reset();
  output_.make_room();
  curs_set(1);
  endwin();
  tcsetattr(files_.in, TCSADRAIN, &saved_);
  parked_.release();
}

// Cells [begin, end) of a row, all of one ink.
void Terminal::put_run(const Canvas& canvas, int row, int begin, int end) {
  const Cell* cells = canvas.row(row);
  run_.clear();
  for (int c = begin; c < end; ++c) {
    if (cells[c].glyph != 0) run_.push_back(static_cast<wchar_t>(cells[c].glyph));
  }
  use(cells[begin].ink);
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
  if (!output_.send()) return;  // it still takes nothing: a later frame shows more
  if (!shown_ || shown_->rows() != canvas.rows() || shown_->cols() != canvas.cols()) {
    erase();
    shown_.emplace(canvas.glyphs(), canvas.rows(), canvas.cols());
  }
  for (int row = 0; row < canvas.rows(); ++row) show_row(canvas, row);
  shown_ = canvas;
  output_.begin();
  refresh();
  output_.end();
}

int Terminal::rows() const { return LINES; }
int Terminal::cols() const { return COLS; }

Input Terminal::read() {
  while (input_.empty())
    if (!fetch()) return {};
  const Input first = input_.front();
  input_.pop_front();
  return first;
}

bool Terminal::fetch() {
  wint_t code = 0;
  const int result = get_wch(&code);
  if (result == ERR) {
    background_.pause(monotonic_ns());
    take_typed();
    return !input_.empty();
  }
  if (result == KEY_CODE_YES)
    background_.let_go();
  else
    background_.take(static_cast<char32_t>(code), monotonic_ns());
  take_typed();
  if (result != KEY_CODE_YES) return true;
  if (code == KEY_MOUSE) {
    input_.push_back(mouse_input());
  } else if (code != KEY_RESIZE) {  // the size is queried on SIGWINCH; this only repeats it
    input_.push_back(key_input(special_key(code)));
  }
  return true;
}

void Terminal::take_typed() {
  while (const auto c = background_.typed()) input_.push_back(key_input(*c));
  const auto color = background_.color();
  if (!color) return;
  own_theme_ = theme_for(*color);
  if (theme_ == ThemeChoice::automatic) set_theme(theme_);
}

void Terminal::forget() {
  shown_.reset();
  clearok(curscr, TRUE);
}

void Terminal::distrust() {
  shown_.reset();
  redrawwin(stdscr);
}

bool Terminal::hung_up() const {
  pollfd input{files_.in, POLLIN, 0};
  if (poll(&input, 1, 0) <= 0) return false;
  if (input.revents & (POLLHUP | POLLERR | POLLNVAL)) return true;
  int available = 0;
  return ioctl(files_.in, FIONREAD, &available) != 0 || available == 0;
}

void Terminal::resize() {
  const winsize size = terminal_size(files_.out);
  if (size.ws_row == 0) return;
  if (size.ws_row == LINES && size.ws_col == COLS) return;
  resizeterm(size.ws_row, size.ws_col);
  forget();
}

void Terminal::resume() {
  parked_.park();
  reset_prog_mode();
  curs_set(0);
  if (has_colors()) use_colors();  // a changed palette was restored
  arm_guard();
  resize();
  forget();
}

// ---- its colours: those of a theme, as far as it shows them ----

void Terminal::start_colors() {
  for (int i = 0; i < kStyles; ++i) {
    const auto style = static_cast<Style>(i);
    // Its own grey is dim enough.
    const bool has_grey = kind_.colors == ColorDepth::palette || kind_.colors == ColorDepth::rgb;
    attributes_[static_cast<size_t>(i)] =
        (is_bold(style) ? A_BOLD : A_NORMAL) | (is_dim(style) && !has_grey ? A_DIM : A_NORMAL);
  }
  if (!has_colors()) return;
  start_color();
  own_background_ = use_default_colors() == OK ? kDefaultColor : COLOR_BLACK;
  use_colors();
  if (theme_ == ThemeChoice::automatic) ask_background();
}

int Terminal::color_number(const Color& color) const {
  const Rgb rgb = color.rgb;
  if (kind_.colors == ColorDepth::eight) return color.eight;
  if (kind_.direct) return rgb.r << 16 | rgb.g << 8 | rgb.b;
  const int number = palette_number(rgb);
  // Rounded up: curses rounds down when it converts them back.
  const auto of_1000 = [](int channel) { return (channel * 1000 + 254) / 255; };
  if (kind_.colors == ColorDepth::rgb)
    init_extended_color(number, of_1000(rgb.r), of_1000(rgb.g), of_1000(rgb.b));
  return number;
}

// A theme that was chosen also has its own background. The pair number is the style's number + 1.
void Terminal::use_colors() {
  const Theme theme = shown_theme();
  const bool own = theme_ == ThemeChoice::automatic;
  const int back = own ? own_background_ : color_number(background_of(theme));
  for (int i = 0; i < kStyles; ++i) {
    const auto style = static_cast<Style>(i);
    bool& has_pair = has_pair_[static_cast<size_t>(i)];
    has_pair = !(own && is_text(style, kind_.colors)) &&
               init_extended_pair(i + 1, color_number(color_of(theme, style)), back) == OK;
  }
  cchar_t blank;
  const int plain = static_cast<int>(Style::plain) + 1;
  setcchar(&blank, L" ", A_NORMAL, static_cast<short>(own ? 0 : plain), nullptr);
  bkgrnd(&blank);
}

Theme Terminal::shown_theme() const {
  if (theme_ == ThemeChoice::automatic) return own_theme_.value_or(Theme::dark);
  return theme_of(theme_);
}

void Terminal::set_theme(ThemeChoice theme) {
  theme_ = theme;
  if (!has_colors()) return;
  output_.begin();
  use_colors();
  output_.end();
  if (theme == ThemeChoice::automatic) ask_background();
  forget();
}

// Once. The answer is found among the keys, so that nobody has to wait for it.
void Terminal::ask_background() {
  if (!kind_.answers || std::exchange(asked_, true)) return;
  background_.expect(monotonic_ns() + kAnswerTakes);
  output_.begin();
  std::fwrite(kBackgroundQuestion.data(), 1, kBackgroundQuestion.size(), output_.file());
  std::fflush(output_.file());
  output_.end();
}

// Before others read from the terminal: the shell would take the answer for a command.
void Terminal::await_background() {
  const uint64_t until_ns = monotonic_ns() + kAwaitAnswer;
  for (uint64_t now = monotonic_ns(); now < until_ns && background_.is_expected(now);
       now = monotonic_ns()) {
    pollfd input{files_.in, POLLIN, 0};
    const auto ms = static_cast<int>((until_ns - now) / kMs) + 1;
    if (poll(&input, 1, ms) <= 0 || (input.revents & (POLLHUP | POLLERR)) || !fetch()) return;
  }
}

}  // namespace pipetop::tui

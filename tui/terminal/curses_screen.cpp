#include "tui/terminal/curses_screen.h"

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <fmt/core.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <term.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

constexpr const char* kInstead = "; use `pipetop run`, which needs no screen";

std::string_view environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

// Terminals made before Unicode, whatever the locale says.
bool predates_unicode(std::string_view term) {
  return term.starts_with("vt") || term.starts_with("ansi") || term.starts_with("cons") ||
         term.starts_with("sun");
}

// curses writes characters in the locale's encoding. `always` means UTF-8 even
// if the locale says otherwise.
bool use_utf8(Choice unicode) {
  const auto is_utf8 = [] { return std::string_view(nl_langinfo(CODESET)) == "UTF-8"; };
  setlocale(LC_CTYPE, "");
  if (!is_utf8() && unicode == Choice::always) setlocale(LC_CTYPE, "C.UTF-8");
  return is_utf8();
}

GlyphSet glyph_set(Choice unicode, std::string_view term) {
  const bool utf8 = use_utf8(unicode);
  const bool wanted =
      unicode == Choice::always || (unicode == Choice::automatic && !predates_unicode(term));
  if (!utf8 || !wanted) return GlyphSet::ascii;
  return term.starts_with("linux") ? GlyphSet::console : GlyphSet::unicode;
}

ColorDepth color_depth(Choice color, int colors) {
  if (color == Choice::never) return ColorDepth::none;
  if (color == Choice::automatic && !environment("NO_COLOR").empty()) return ColorDepth::none;
  if (colors >= 256) return ColorDepth::full;
  return colors >= 8 ? ColorDepth::eight : ColorDepth::none;
}

// nullptr if the terminal has no such string.
const char* capability(const char* name) {
  const char* value = tigetstr(name);
  return value == reinterpret_cast<char*>(-1) ? nullptr : value;
}

void require_tty(int fd, const char* name) {
  if (isatty(fd) == 0) throw Error(fmt::format("{} is not a terminal{}", name, kInstead));
}

constexpr int kEscapeDelay_ms = 25;
constexpr std::array kCursesSignals = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
constexpr mmask_t kMouseEvents =
    BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED;
static_assert(sizeof(attr_t) == sizeof(unsigned));

termios current_settings() {
  termios settings{};
  if (tcgetattr(STDIN_FILENO, &settings) != 0)
    throw SystemError("reading the terminal's settings", errno);
  return settings;
}

screen* new_screen(std::FILE* output) {
  screen* made = newterm(nullptr, output, stdin);
  if (!made) throw Error("the terminal could not be set up for the dashboard");
  return made;
}

// Delays such as "$<5>" are for tputs(); they are removed to write the bytes directly.
std::string without_padding(const std::string& bytes) {
  std::string result;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t end = bytes.compare(i, 2, "$<") == 0 ? bytes.find('>', i) : std::string::npos;
    if (end == std::string::npos) {
      result += bytes[i];
    } else {
      i = end;
    }
  }
  return result;
}

std::string restore_bytes(bool mouse) {
  std::string bytes = mouse ? "\033[?1006l\033[?1002l\033[?1000l" : "";
  for (const char* name : {"sgr0", "op", "rmkx", "cnorm", "rmcup"}) {
    if (const char* value = capability(name)) bytes += without_padding(value);
  }
  return bytes;
}

void set_modes() {
  set_escdelay(kEscapeDelay_ms);
  // Raw: Ctrl-C and Ctrl-Z arrive as keys and reach no worker; Ctrl-S has no effect.
  raw();
  noecho();
  nonl();
  nodelay(stdscr, TRUE);
  keypad(stdscr, TRUE);
  leaveok(stdscr, TRUE);
  scrollok(stdscr, FALSE);
  mouseinterval(0);
  typeahead(-1);  // drawing a frame is not interrupted by a key
  curs_set(0);
}

}  // namespace

TerminalKind require_terminal(const TerminalOptions& options) {
  require_tty(STDIN_FILENO, "standard input");
  require_tty(STDOUT_FILENO, "standard output");
  const std::string_view term = environment("TERM");
  if (term.empty()) throw Error(fmt::format("TERM is not set{}", kInstead));
  int status = 0;
  if (setupterm(nullptr, STDOUT_FILENO, &status) != OK)
    throw Error(
        fmt::format("the terminal \"{}\" is unknown here: try TERM=xterm{}", term, kInstead));
  const bool positions = capability("cup") && capability("clear");
  const int colors = tigetnum("colors");
  del_curterm(cur_term);
  if (!positions)
    throw Error(fmt::format("the terminal \"{}\" cannot place the cursor{}", term, kInstead));
  return {glyph_set(options.unicode, term), color_depth(options.color, colors)};
}

CursesScreen::CursesScreen(ColorDepth colors)
    : colors_(colors),
      saved_(current_settings()),
      actions_(kCursesSignals),
      screen_(new_screen(output_.file())) {
  set_modes();
  start_colors();
  set_mouse(true);
}

CursesScreen::~CursesScreen() {
  guard_.reset();
  mousemask(0, nullptr);
  curs_set(1);
  endwin();
  delscreen(screen_);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &saved_);
}

// The pair number is the style's number + 1.
void CursesScreen::start_colors() {
  const Background background = background_from(getenv("COLORFGBG"));
  int back = COLOR_BLACK;
  if (colors_ != ColorDepth::none) {
    start_color();
    if (use_default_colors() == OK) back = kDefaultColor;
  }
  for (int i = 0; i < kStyles; ++i) {
    const Appearance appearance = appearance_of(static_cast<Style>(i), colors_, background);
    const auto index = static_cast<size_t>(i);
    attributes_[index] =
        (appearance.bold ? A_BOLD : A_NORMAL) | (appearance.dim ? A_DIM : A_NORMAL);
    if (appearance.color == kDefaultColor) continue;
    has_pair_[index] = init_pair(static_cast<short>(i + 1), static_cast<short>(appearance.color),
                                 static_cast<short>(back)) == OK;
  }
}

void CursesScreen::arm_guard() {
  guard_.reset();
  guard_.emplace(saved_, restore_bytes(mouse_), parked_);
}

void CursesScreen::set_mouse(bool on) {
  mouse_ = on && mousemask(kMouseEvents, nullptr) != 0;
  if (!on) mousemask(0, nullptr);
  arm_guard();
}

void CursesScreen::use(Ink ink) const {
  const auto index = static_cast<size_t>(ink.style);
  attr_t attributes = attributes_[index];
  if (ink.emphasis & kBold) attributes |= A_BOLD;
  if (ink.emphasis & kReverse) attributes |= A_REVERSE;
  const short pair = has_pair_[index] ? static_cast<short>(index + 1) : short{0};
  attr_set(attributes, pair, nullptr);
}

void CursesScreen::refresh() const {
  output_.begin();
  ::refresh();
  output_.end();
}

void CursesScreen::suspend() {
  guard_.reset();
  curs_set(1);
  endwin();
  tcsetattr(STDIN_FILENO, TCSADRAIN, &saved_);
  parked_.release();
}

void CursesScreen::resume() {
  parked_.park();
  reset_prog_mode();
  curs_set(0);
  arm_guard();
}

}  // namespace pipetop::tui

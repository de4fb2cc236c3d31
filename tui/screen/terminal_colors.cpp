// The colours of the terminal: those of a theme, as far as it shows them.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "engine/base/clock.h"
#include "tui/screen/terminal.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kAnswerTakes = kSecond;  // at most, also through a slow network
constexpr uint64_t kAwaitAnswer = 100 * kMs;

// By ThemeChoice, without `automatic`.
Theme theme_of(ThemeChoice choice) { return static_cast<Theme>(static_cast<int>(choice) - 1); }
static_assert(static_cast<int>(ThemeChoice::high_contrast) == kThemes);

}  // namespace

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

// Keys and mouse events, translated from curses' codes.
#include "tui/terminal/terminal.h"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

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

}  // namespace pipetop::tui

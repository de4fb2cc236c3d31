#include "tui/screen/terminal_keys.h"

#include <fmt/core.h>

namespace pipetop::tui {

std::string toggle_mouse(Terminal& terminal) {
  terminal.set_mouse(!terminal.mouse());
  return terminal.mouse() ? "mouse on" : "mouse off: text can be selected";
}

std::string choose_next_theme(Terminal& terminal) {
  const size_t next = (static_cast<size_t>(terminal.theme()) + 1) % theme_names().size();
  const auto choice = static_cast<ThemeChoice>(next);
  terminal.set_theme(choice);
  if (!terminal.has_colors()) return "no colours here, so no themes; see pipetop help themes";
  const std::string_view shown = theme_name(terminal.shown_theme());
  if (choice == ThemeChoice::automatic)
    return fmt::format("theme: auto, for a {} background", shown);
  return fmt::format("theme: {}", shown);
}

void redraw_all(Terminal& terminal) {
  terminal.resize();
  terminal.forget();
}

void take_again(Terminal& terminal) {
  terminal.suspend();
  terminal.resume();
}

}  // namespace pipetop::tui

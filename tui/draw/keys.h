// Keys and mouse events, independent of the terminal library.
#pragma once

#include <cstdint>
#include <string_view>

namespace pipetop::tui {

// A character, or one of these beyond Unicode.
using Key = char32_t;
namespace key {
inline constexpr Key up = 0x110000, down = 0x110001, page_up = 0x110002, page_down = 0x110003;
inline constexpr Key home = 0x110004, end = 0x110005, back_tab = 0x110006;
inline constexpr Key left = 0x110007, right = 0x110008, backspace = 0x110009;
inline constexpr Key f1 = 0x110010, f5 = 0x110014, f6 = 0x110015;
inline constexpr Key other = 0x1100FF;
inline constexpr Key tab = 9, enter = 13, escape = 27;
constexpr Key ctrl(char letter) { return static_cast<Key>(letter & 0x1F); }
}  // namespace key

// A line of the help: "Tab", "the other function list".
struct ScreenKey {
  std::string_view keys, help;
};

enum class MouseAct : uint8_t { press, wheel_up, wheel_down };

struct Mouse {
  int row = 0, col = 0;
  MouseAct act = MouseAct::press;
};

struct Input {
  enum class Kind : uint8_t { none, key, mouse } kind = Kind::none;
  Key key = 0;
  Mouse mouse;
};

}  // namespace pipetop::tui

// Turns what the person does into changes of the engine and of the screen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/presets.h"
#include "tui/dashboard/source.h"
#include "tui/state/keymap.h"
#include "tui/state/view_state.h"

namespace pipetop::tui {

// What only the owner of the terminal can do.
enum class Outcome : uint8_t { stay, redraw_all, toggle_mouse, suspend, quit, abort };

class Controller {
 public:
  // `start` is what the source runs with, and the baseline. `presets` outlive it.
  Controller(Source& source, const Settings& start, std::span<const Preset> presets);

  const ViewState& view() const { return view_; }

  // The most that a pipe can carry here, in GiB/s.
  void set_roof(std::optional<double> gib_per_s) { view_.roof_gib_per_s = gib_per_s; }

  // What is on the screen, which lists, clicks and wheels refer to. Call it for
  // every frame.
  void show(const Snapshot& shown, int rows, int cols);

  Outcome handle(const Input& input, const Snapshot& shown);

  // For the message line; it goes away by itself.
  void say(std::string text, Severity severity);
  // Messages age in the source's time, which goes on while frozen.
  void set_time(uint64_t now_ns);

 private:
  void settle(const Snapshot& shown);
  Outcome act(const KeyCommand& command, Key key, const Snapshot& shown);
  void act_on_screen(const KeyCommand& command, Key key, const Snapshot& shown);
  void press_knob(int index);
  void switch_counters(const Snapshot& shown);
  void press_preset(int index);
  void undo();
  void baseline();
  bool change_to(const Settings& next, const std::string& label, Key key);
  bool scroll_page(const KeyCommand& command);
  void scroll(Role role, int lines);
  void compare();
  bool inspected(Key key, const Snapshot& shown);
  void press_parts(const Snapshot& shown);
  void press_roof();
  void press_inspect(const Snapshot& shown);
  Outcome handle(const Mouse& mouse, const Snapshot& shown);
  Outcome click(const Mouse& mouse, const Snapshot& shown);
  void click_list(Role role, int row, const Snapshot& shown);
  void wheel(const Mouse& mouse, int lines);
  int page_rows() const;
  void close();
  // Of the page that lies over the lists, nullptr if there is none.
  int* page_scroll();

  Source& source_;
  Settings start_;
  std::vector<Settings> undo_;  // what was requested before each change
  ViewState view_;
  int rows_ = 0, cols_ = 0;
  uint64_t message_until_ns_ = 0;
};

}  // namespace pipetop::tui

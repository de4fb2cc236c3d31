#include "tui/screen/screen.h"

#include <fmt/core.h>

#include <algorithm>

#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kHintStays_ns = 3'000'000'000;
constexpr uint64_t kErrorStays_ns = 10'000'000'000;
constexpr int kAll = 1 << 20;

constexpr auto kMove = does<&Screen::move_or_scroll>;
constexpr KeyRow kMovingKeys[] = {
    {U'j', kMove, 1, {"j k", "select; arrows do too"}},
    {key::down, kMove, 1},
    {U'k', kMove, -1},
    {key::up, kMove, -1},
    {key::page_down, does<&Screen::page>, 1, {"PgUp PgDn", "scroll by a page"}},
    {key::page_up, does<&Screen::page>, -1},
    {key::home, kMove, -kAll, {"Home End", "to the first, to the last"}},
    {key::end, kMove, kAll},
};

constexpr auto kTransport = does<&Screen::press_transport>;
// Under a page time can be moved, too; those that scroll it are its own.
constexpr KeyRow kTransportKeys[] = {
    {U' ', kTransport, U' ', {"Space", "pause, and go on"}},
    {key::left, kTransport, key::left, {"Left Right", "5 seconds back or forward"}},
    {key::right, kTransport, key::right},
    {U',', kTransport, U',', {", .", "pause, and one frame back or forward"}},
    {U'.', kTransport, U'.'},
    {U'<', kTransport, U'<', {"< >", "slower or faster: 0.25 to 16 times"}},
    {U'>', kTransport, U'>'},
    {U'n', kTransport, U'n', {"n N", "to the next change or scene, or back to one"}},
    {U'N', kTransport, U'N'},
    {key::home, kTransport, key::home, {"Home End", "to the beginning, or to the end"}, kTakesEnds},
    {key::end, kTransport, key::end, {}, kTakesEnds},
    {U'W', does<&Screen::refuse_recording>},
};

constexpr KeyRow kPageKeys[] = {
    {U' ', does<&Screen::freeze>, 0, {"Space", "freeze the screen; data keeps flowing"}},
    {U'!', does<&Screen::toggle_messages>, 0, {"!", "all messages, in full"}},
    {U'?', does<&Screen::toggle_help>, 0, {"? F1", "this help"}},
    {key::f1, does<&Screen::toggle_help>, 0},
};

template <Outcome kOutcome>
constexpr auto leaves = does<&Screen::leave<kOutcome>>;
constexpr KeyRow kTerminalKeys[] = {
    {U'T', leaves<Outcome::next_theme>, 0, {"T", "next theme: dark, light, high contrast"}},
    {U'X', leaves<Outcome::save_picture>, 0, {"X", "save this screen as a picture (SVG)"}},
    {U'M', leaves<Outcome::toggle_mouse>, 0, {"M", "mouse on or off; off lets you select text"}},
    {key::ctrl('L'), leaves<Outcome::redraw_all>, 0, {"Ctrl-L", "redraw the screen"}},
    {key::ctrl('Z'), leaves<Outcome::suspend>, 0, {"Ctrl-Z", "suspend"}},
    {U'q', does<&Screen::quit>, 0, {"q", "close a page, else quit; Ctrl-C quits"}},
    {key::ctrl('C'), leaves<Outcome::interrupt>, 0},
    {key::ctrl('\\'), leaves<Outcome::abort>, 0},
};

}  // namespace

KeyTable moving_keys() { return {kMovingKeys, true}; }
KeyTable transport_keys() { return {kTransportKeys, true}; }
KeyTable page_keys() { return {kPageKeys, true}; }
KeyTable terminal_keys() { return {kTerminalKeys, true}; }

std::vector<ScreenKey> help_of(std::span<const KeyTable> tables, uint8_t place) {
  std::vector<ScreenKey> lines;
  std::vector<Key> taken;
  for (const KeyTable& table : tables) {
    for (const KeyRow& row : table.rows) {
      if ((row.where & table.where & place) == 0 ||
          std::ranges::find(taken, row.key) != taken.end())
        continue;
      taken.push_back(row.key);
      if (!row.help.keys.empty()) lines.push_back(row.help);
    }
  }
  return lines;
}

Outcome Screen::handle(const Input& input) {
  constexpr int kWheelLines = 3;
  outcome_ = Outcome::stay;
  if (input.kind == Input::Kind::key) {
    press(input.key);
  } else if (input.kind == Input::Kind::mouse && takes_mouse()) {
    const int lines = input.mouse.act == MouseAct::wheel_up ? -kWheelLines : kWheelLines;
    if (input.mouse.act == MouseAct::press)
      is_covered() ? void(close_page()) : click(input.mouse);
    else if (PageState* page = open_page())
      page->scroll += lines;
    else
      scroll(input.mouse, lines);
  }
  settle();
  return outcome_;
}

void Screen::press(Key key) {
  if (press_first(key)) return;
  for (const KeyTable& table : key_tables()) {
    if (is_covered() && !table.on_pages) continue;
    for (const KeyRow& row : table.rows)
      if (row.key == key && (row.where & table.where & place()) != 0) return row.act(*this, row.n);
  }
  if (!is_covered() && press_last(key)) return;
  if (key <= 0x20 || key == 0x7F || key >= key::up) return;
  std::string text;
  append_utf8(text, key);
  say(fmt::format("{} does nothing here; ? shows the keys", text));
}

void Screen::say(std::string text, Severity severity) {
  ScreenState& state = common();
  state.message = std::move(text);
  state.severity = severity;
  message_until_ns_ = viewer_ns_ + (severity == Severity::info ? kHintStays_ns : kErrorStays_ns);
}

void Screen::add_to(Tape& tape, const Snapshot& now) {
  const ScreenState& state = common();
  if (state.message.empty()) return tape.add(now);
  Snapshot said = now;
  said.answer = Notice{now.now_ns, state.severity, state.message};
  tape.add(said);
}

bool Screen::age_message(uint64_t viewer_ns) {
  viewer_ns_ = viewer_ns;
  std::string& message = common().message;
  if (message.empty() || viewer_ns < message_until_ns_) return false;
  message.clear();
  return true;
}

PageState* Screen::open_page() {
  ScreenState& state = common();
  if (state.help.open) return &state.help;
  return state.messages.open ? &state.messages : nullptr;
}

bool Screen::close_page() {
  PageState* page = open_page();
  if (page) page->open = false;
  return page != nullptr;
}

// It is kept within the page or list before it is drawn.
void Screen::move_or_scroll(int lines) {
  if (PageState* page = open_page())
    page->scroll += lines;
  else
    move(lines);
}

void Screen::quit() {
  if (!close_page()) outcome_ = Outcome::quit;
}

}  // namespace pipetop::tui

// What every screen has, dashboard, notes and watch: keys in tables, pages, messages. The shell
// runs it, see shell.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/config/talk.h"
#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"

namespace pipetop::tui {

// What only the owner of the terminal can do.
enum class Outcome : uint8_t {
  stay,
  redraw_all,
  toggle_mouse,
  toggle_recording,
  next_theme,
  save_picture,
  suspend,
  interrupt,  // Ctrl-C
  abort,      // Ctrl-\.
  quit
};

// Where snapshots go while they are recorded: a file of the user's.
class Tape {
 public:
  virtual ~Tape() = default;

  virtual bool on() const = 0;
  // Begins a new one, or ends the one that is running. Returns what is said. Throws Error.
  virtual std::string toggle() = 0;
  // If it is on. Throws Error if it cannot go on; then it is off.
  virtual void add(const Snapshot& now) = 0;
  // A talk enters a scene, with its number from 1.
  virtual void begin_scene(uint64_t now_ns, uint32_t number, const Scene& scene) = 0;
};

// A page that a key opens over other panels.
struct PageState {
  bool open = false;
  int scroll = 0;

  void toggle() { *this = {!open, 0}; }
  // Keeps it within the page; `end` says how far it can be scrolled.
  template <class End>
  void settle(End end) {
    if (open) scroll = std::clamp(scroll, 0, end());
  }
};

// The user's choices that there are on every screen.
struct ScreenState {
  PageState help, messages;  // over everything else
  bool frozen = false;
  bool recording = false;              // to a file, see `pipetop help recording`
  std::string message;                 // of a key
  Severity severity = Severity::info;  // of the message
  uint64_t now_ns = 0;                 // continues while frozen
};

class Screen;

inline constexpr uint8_t kAnywhere = 0xFF;

// What a key does; one row of a table.
struct KeyRow {
  Key key;
  void (*act)(Screen& screen, int n);
  int n = 0;
  ScreenKey help = {};        // empty where another key's line names it
  uint8_t where = kAnywhere;  // bits of the screen's own places
};

struct KeyTable {
  std::span<const KeyRow> rows;
  bool on_pages = false;  // they mean the same while a page of help or messages is over the screen
  uint8_t where = kAnywhere;  // none of them works elsewhere
};

template <class C, class... Args>
C* screen_of(void (C::*)(Args...));

// The action of a row: a member of a screen, called with the row's number if it takes one.
template <auto kAct>
void does(Screen& screen, int n) {
  auto& own = static_cast<std::remove_pointer_t<decltype(screen_of(kAct))>&>(screen);
  if constexpr (requires { (own.*kAct)(n); })
    (own.*kAct)(n);
  else
    (own.*kAct)();
}

// Keys to select and to scroll.
KeyTable moving_keys();
// Keys of a recording, in the place of freezing. While a page of it is open, its End and Home are
// the page's: they work where kTakesEnds is set.
inline constexpr uint8_t kTakesEnds = 0x80;
KeyTable transport_keys();
// Keys to freeze, and for the pages of help and messages.
KeyTable page_keys();
// Keys for the terminal and the program.
KeyTable terminal_keys();

// The lines of the help for what works there. The first row of a key counts.
std::vector<ScreenKey> help_of(std::span<const KeyTable> tables, uint8_t place);

class Screen {
 public:
  Screen() = default;
  virtual ~Screen() = default;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // What it waits for beside time, input and signals; -1 for nothing.
  virtual int event_fd() const { return -1; }
  // When that is readable. False: it isn't waited for any longer.
  virtual bool handle_events() { return true; }
  // Whether it is over by itself.
  virtual bool has_ended() { return false; }

  // From tick to tick. `frame_ns` is what the user wants.
  virtual uint64_t period_ns(uint64_t frame_ns) const { return frame_ns; }
  // Takes what there is now, by CLOCK_MONOTONIC. False: nothing else is to be drawn than before.
  virtual bool tick(uint64_t now_ns) = 0;
  // What the last tick took, also while the screen is frozen. Throws Error.
  virtual void record(Tape&) {}
  void set_recording(bool on) { common().recording = on; }

  // Keeps selections and scrolling within a screen of this size. Before each draw().
  virtual void lay_out(int rows, int cols) = 0;
  virtual void draw(Canvas& canvas) const = 0;

  virtual bool uses_mouse() const { return true; }
  Outcome handle(const Input& input);
  bool close_page();  // the one on top; false: there is none
  // For the message line, if there is one; it disappears by itself.
  void say(std::string text, Severity severity = Severity::info);

  // Before somebody else gets the terminal, and afterwards.
  virtual void suspend() {}
  virtual void resume() {}

  // A command of the same process group, which gets the terminal's SIGINT and SIGQUIT; those of
  // Ctrl-C and Ctrl-\ must be delivered, as the terminal is raw.
  virtual bool has_command() const { return false; }
  virtual void deliver(int /*signal*/) {}

  // The actions of rows.
  void move_or_scroll(int lines);
  void page(int pages) { move_or_scroll(pages * page_rows()); }
  virtual void freeze() {}
  virtual void press_transport(int /*key*/) {}
  void refuse_recording() { say("this is a recording"); }
  void refuse_change() { say("a recording cannot be changed; ? shows its keys"); }
  void toggle_help() { common().help.toggle(); }
  void toggle_messages() { common().messages.toggle(); }
  virtual void quit();
  template <Outcome kOutcome>
  void leave() {
    outcome_ = kOutcome;
  }

 protected:
  virtual ScreenState& common() = 0;
  // The first row that matches key and place counts.
  virtual std::vector<KeyTable> key_tables() const = 0;
  virtual uint8_t place() const { return kAnywhere; }
  // What takes keys before the tables; whether it has taken this one.
  virtual bool press_first(Key) { return false; }
  // What takes those that mean nothing in the tables, unless a page is over it.
  virtual bool press_last(Key) { return false; }
  virtual void move(int /*lines*/) {}
  virtual int page_rows() const { return 1; }
  virtual bool takes_mouse() const { return true; }
  virtual void click(const Mouse&) {}
  virtual void scroll(const Mouse&, int /*lines*/) {}
  // After input: the next may come before the next frame.
  virtual void settle() {}

  // The page on top, nullptr if there is none.
  virtual PageState* open_page();
  bool is_covered() { return common().help.open || common().messages.open; }
  void press(Key key);
  // What a screen inside this one asks for.
  void pass_on(Outcome outcome) { outcome_ = outcome; }
  // With what the message line says.
  void add_to(Tape& tape, const Snapshot& now);
  // The time by which messages age. Whether one has disappeared.
  bool age_message(uint64_t viewer_ns);

 private:
  Outcome outcome_ = Outcome::stay;
  uint64_t viewer_ns_ = 0, message_until_ns_ = 0;
};

}  // namespace pipetop::tui

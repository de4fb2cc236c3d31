// The screen of `watch`: turns the user's actions into changes of what is shown and, where a key
// asks for it, of other people's processes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tui/draw/keys.h"
#include "tui/screen/screen.h"
#include "tui/watch/watch_source.h"
#include "tui/watch/watch_state.h"

namespace pipetop::tui {

struct WatchStart {
  PipeSort sort = PipeSort::rate;
  std::string filter = {};
  bool pipeline = false;           // the source has one open
  std::string command = {};        // whose pipeline it is; it is not left for the table
  uint64_t hold_ns = 500'000'000;  // how long figures stand
};

class WatchController : public Screen {
 public:
  WatchController(WatchSource& source, const WatchStart& start);

  const WatchState& state() const { return state_; }

  uint64_t period_ns(uint64_t frame_ns) const override;
  bool tick(uint64_t now_ns) override;
  // The last snapshot, also while frozen; null before the first one.
  const std::shared_ptr<const WatchSnapshot>& latest() const { return latest_; }

  void lay_out(int rows, int cols) override;
  void draw(Canvas& canvas) const override;
  Outcome handle(const Input& input) override;
  void say(std::string text, Severity severity = Severity::info) override;

  // Whether other people's processes are as they were changed here, and are to stay so.
  bool has_changes() const;
  bool keeps_changes() const { return keeps_; }

  struct Binding {
    Key key;
    void (WatchController::*act)(int n);
    int n = 0;
    uint8_t where = kAnywhere;
    ScreenKey help = {};  // empty where another key's line names it
  };
  static std::span<const Binding> bindings();

 private:
  struct Keymap;
  template <Outcome kOutcome>
  void leave(int) {
    outcome_ = kOutcome;
  }

  bool press_overlay(Key key);
  bool press_prompt(Key key);
  bool press_question(Key key);
  bool press_leaving(Key key);
  bool press_filter(Key key);
  bool press_slots(Key key);
  void press(Key key);
  void click(const Mouse& mouse);
  void click_table(const Mouse& mouse);
  void click_pipeline(const Mouse& mouse);
  void scroll(const Mouse& mouse, int lines);
  bool close_overlay();
  PageState* open_page();

  // The actions of keys.
  void move(int lines);
  void page(int pages);
  void step(int by);
  void enter(int);
  void back(int);
  void close(int);
  void next_panel(int by);
  void sort(int by);
  void toggle_tree(int);
  void toggle_idle(int);
  void begin_filter(int);
  void freeze(int);
  void resize_ring(int larger);
  void ask_nice(int);
  void ask_pin(int);
  void toggle_exact(int);
  void undo(int);
  void undo_all(int);
  void toggle_form(int);
  void toggle_sort(int);
  void open_row(int);
  void open_rows(int);
  void open_all_rows(int open);
  void toggle_messages(int) { state_.messages.toggle(); }
  void toggle_help(int) { state_.help.toggle(); }
  void quit(int);

  void open_pipeline();
  void show(const std::shared_ptr<const WatchSnapshot>& now);
  void tell_selection();
  int list_rows() const;
  // Runs a change, and shows what it says, or why it can't be.
  template <class Change>
  bool change(const Change& change);
  // The same, when the user has agreed: to the first change, and to each that `must` be asked for.
  void change_if_agreed(Question question, bool must, std::function<std::string()> change);
  void change_stage(const Prompt& chosen);
  std::string why_no_ring() const;

  WatchSource& source_;
  WatchStart start_;
  WatchState state_;
  std::vector<int> cpus_;
  std::shared_ptr<const WatchSnapshot> latest_;
  std::optional<ProcessId> sent_selection_;  // the stage that the source was told is selected
  uint64_t message_until_ns_ = 0;
  bool changed_ = false;  // since the last snapshot
  bool keeps_ = false;
  std::function<std::string()> asked_;  // what the question is about
  bool has_agreed_ = false;             // to a change, once
  bool stale_ = false;                  // what is shown is older than the latest snapshot
  Outcome outcome_ = Outcome::stay;
  int rows_ = 0, cols_ = 0;
};

// The lines of the help page for what works there.
std::span<const ScreenKey> watch_keys(WatchPlace place);
std::span<const ScreenKey> watch_words();

// The keys at the bottom, with the state of what they switch.
std::vector<KeyItem> watch_key_items(const WatchState& state);

}  // namespace pipetop::tui

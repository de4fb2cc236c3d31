// The screen of `watch`: turns the user's actions into changes of what is shown and, where a key
// asks for it, of other people's processes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/watch/watch_source.h"
#include "tui/draw/keys.h"
#include "tui/watch/pipeline_view.h"
#include "tui/watch/watch_state.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

struct WatchStart {
  PipeSort sort = PipeSort::rate;
  std::string filter = {};
  bool pipeline = false;     // the source has one open
  std::string command = {};  // whose pipeline it is; it is not left for the table
  // A recording, of which only the pipeline is there; then no key changes anything.
  bool recorded = false;
  Transport* transport = nullptr;       // null: somebody else moves it
  const ReplayState* replay = nullptr;  // where that is; null: one moment
  uint64_t hold_ns = 500'000'000;       // how long figures stand
};

class WatchController : public ListScreen {
 public:
  WatchController(WatchSource& source, const WatchStart& start);

  const WatchState& state() const { return state_; }

  uint64_t period_ns(uint64_t frame_ns) const override;
  bool tick(uint64_t now_ns) override;
  // The last snapshot, also while frozen; null before the first one.
  const std::shared_ptr<const Snapshot>& latest() const { return latest_; }

  void lay_out(int rows, int cols) override;
  void draw(Canvas& canvas) const override;
  // For somebody else's lines around it: it is only what is between title and message, in this
  // place. Nothing: the whole screen.
  void lay_out_in(std::optional<Rect> body) { body_ = body; }
  const std::optional<Rect>& body() const { return body_; }

  // Whether the bottleneck of the open pipeline, as it is now, is known.
  bool has_settled() const;
  // Whether it waits for words, or for an answer: then all keys are its own.
  bool is_asking() const;
  // What can be recorded: the open pipeline.
  void record(Tape& tape) override;
  // The last key that would have changed something in a recording; "" if there was none.
  const std::string& refused() const { return refused_; }

  // Whether other people's processes are as they were changed here, and are to stay so.
  bool has_changes() const;
  bool keeps_changes() const { return keeps_; }

  static std::vector<KeyTable> keys();
  static std::vector<KeyTable> keys_of_replay();

 protected:
  ScreenState& common() override { return state_; }
  std::vector<KeyTable> key_tables() const override {
    return start_.recorded ? keys_of_replay() : keys();
  }
  uint8_t place() const override { return state_.place() | (start_.recorded ? kTakesEnds : 0); }
  ListChoice& choice() override { return state_.pipeline.choice; }
  std::span<ListState> lists() override { return {&state_.pipeline.functions, 1}; }
  ListState& list() override { return state_.pipeline.functions; }
  PageState* open_page() override;
  bool press_first(Key key) override;
  bool press_last(Key key) override;
  void move(int lines) override;
  int page_rows() const override;
  void click(const Mouse& mouse) override;
  void scroll(const Mouse& mouse, int lines) override;
  void settle() override { lay_out(rows_, cols_); }

 private:
  struct Keymap;

  static bool changes_something(Key key);
  bool press_prompt(Key key);
  bool press_question(Key key);
  bool press_leaving(Key key);
  bool press_filters(Key key);
  bool press_slots(Key key);
  void click_table(const Mouse& mouse);
  void click_pipeline(const Mouse& mouse);
  bool close_overlay();

  // The actions of keys.
  void step(int by);
  void enter();
  void back();
  void close();
  void next_panel(int by);
  void sort(int by);
  void toggle_tree();
  void toggle_idle();
  void filter_table();
  void freeze() override;
  void press_transport(int key) override;
  void toggle_recording();
  void resize_ring(int larger);
  void ask_nice();
  void ask_pin();
  void toggle_exact();
  void undo();
  void undo_all();
  void toggle_log();
  void compare();
  void keep();
  void toggle_activity() override;
  void toggle_form() override;
  void toggle_picture();
  void tell_no_slots() { say("the slots of this ring are not known"); }
  void quit() override;

  void open_pipeline();
  WatchLayout layout() const;
  PipelineLayout places() const;  // of the open pipeline
  void show(const std::shared_ptr<const Snapshot>& now);
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
  std::shared_ptr<const Snapshot> latest_;
  std::optional<ProcessId> sent_selection_;  // the stage that the source was told is selected
  bool changed_ = false;                     // since the last snapshot
  bool keeps_ = false;
  std::function<std::string()> asked_;  // what the question is about
  bool has_agreed_ = false;             // to a change, once
  std::string refused_;                 // a key
  bool stale_ = false;                  // what is shown is older than the latest snapshot
  int rows_ = 0, cols_ = 0;
  std::optional<Rect> body_;
};

// The lines of the help page for what works there.
std::span<const ScreenKey> watch_keys(WatchPlace place, bool recorded = false);
std::span<const ScreenKey> watch_words();

// The keys at the bottom, with the state of what they switch.
std::vector<KeyItem> watch_key_items(const WatchState& state);

}  // namespace pipetop::tui

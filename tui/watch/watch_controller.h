// The screen of `pipetop watch`: the table of all pipes and, for one pipeline, its bottleneck.
// Turns the user's actions into changes of what is shown and, where a key asks for it, of other
// people's processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/config/config.h"
#include "engine/model/pipeline.h"
#include "engine/model/snapshot.h"
#include "engine/watch/watch_source.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/screen/screen.h"
#include "tui/watch/interventions.h"
#include "tui/watch/pipeline_state.h"
#include "tui/watch/pipeline_view.h"
#include "tui/watch/table.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/pages.h"
#include "tui/widgets/pipes.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// Where a key has a meaning. The detail has the functions of a stage, or the slots of a ring.
enum WatchPlace : uint8_t { kInTable = 1, kInChain = 2, kInFunctions = 4, kInSlots = 8 };

// The user's choices, apart from measurements.
struct WatchState : ScreenState {
  std::shared_ptr<const Snapshot> shown;  // stays while frozen; null before the first one
  bool in_pipeline = false;               // else in the table
  TableState table;
  PipelineState pipeline;
  bool recorded = false;                // a recording of a pipeline
  const ReplayState* replay = nullptr;  // where it is; null for one moment of it
  std::string command;                  // of `watch -- COMMAND`, whose pipeline it is; "" for none
  std::optional<Question> question;
  bool leaving = false;         // asks what becomes of the changes
  std::vector<Notice> notices;  // recent ones of the engine, newest last
  PageState tree;               // of processes, over the pipeline

  WatchPlace place() const {
    if (!in_pipeline) return kInTable;
    if (pipeline.focus == PipelineFocus::chain) return kInChain;
    return selected_stage(pipeline) ? kInFunctions : kInSlots;
  }
};

// The screen's parts; `body` is the table's or the pipeline's.
struct WatchLayout : Frame {
  Rect time_line = {};
};
// The time line is the last row, if there is one.
WatchLayout watch_layout(int rows, int cols, bool time_line = false);

// The whole screen. Below 60x16 it only says what it needs.
void draw(Canvas& canvas, const WatchState& state);

// Of processes: with `--tree PID` or `-- COMMAND`.
bool has_tree(const WatchState& state);

// Only the table or the pipeline.
void draw_watched(Canvas& canvas, const WatchState& state, const Rect& body);
// What the screen is, beside what it shows: " REC ", " 2 CHANGED ".
std::vector<TitlePart> badges_of(const WatchState& state);

// What the user should know now, below the table or the pipeline. A filter being typed; else a
// key's message; else news of the engine; else what is selected; else, in turn, what there is to
// know.
Message message_of(const WatchState& state);
// All that there is to say now, in the same order.
std::vector<Message> messages_of(const WatchState& state);

// The price of counting bytes exactly; on the screen while it is on.
std::string_view price_of_counting();

struct WatchStart {
  PipeSort sort = PipeSort::rate;
  std::string filter = {};
  bool pipeline = false;     // the source has one open
  bool tree = false;         // and begins with the tree of its processes
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

  // Whether pipes of others are as they were resized here, and are to stay so.
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
  void turn_sockets();
  void toggle_process_tree();
  void filter_table();
  void freeze() override;
  void press_transport(int key) override;
  void toggle_recording();
  void resize_ring(int larger);
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
  bool change(const std::function<std::string()>& change);
  // The same, when the user has agreed: to the first change, and to each that `must` be asked for.
  void change_if_agreed(Question question, bool must, std::function<std::string()> change);
  std::string why_no_ring() const;

  WatchSource& source_;
  WatchStart start_;
  WatchState state_;
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
HelpContents help_of(const WatchState& state);

// The keys at the bottom, with the state of what they switch.
std::vector<KeyItem> watch_key_items(const WatchState& state);

// ---- until the user quits ----

struct WatchScreenOptions {
  // Drawn on /dev/tty, with its keys, whatever stdin, stdout and stderr are: those belong to the
  // pipeline of `watch -- COMMAND`. Else on stdin and stdout, as the dashboard.
  bool on_controlling_terminal = false;
  // Begins with the pipeline that the caller has opened in the Watcher, and Esc leads to the table;
  // else with the table.
  bool pipeline = false;
  bool tree = false;               // over it the tree of processes, to begin with
  PipeSort sort = PipeSort::rate;  // of the table
  std::string filter = {};         // of the table
  // For the title: what `watch -- COMMAND` runs. Its pipeline isn't left for the table.
  std::string command = {};
  // Also waited for: the command's pidfd. Once it is readable, `ended` is called, again and again
  // until it returns true; then the screen ends.
  int fd = -1;
  std::function<bool()> ended = {};
  // Gets SIGINT and SIGQUIT for Ctrl-C and Ctrl-\, which don't reach the pipeline by themselves,
  // because the terminal is raw. Empty: they leave the screen.
  std::function<void(int signal)> deliver = {};
  // Gets, after the screen, what was changed in other processes and could not be put back.
  std::function<void(const std::string&)> say = {};
  // Every snapshot, also while the screen is frozen.
  std::function<void(const Snapshot&)> every_snapshot = {};
  Tape* tape = nullptr;  // gets the open pipeline
  // What is shown is a recording, that this moves.
  Transport* transport = nullptr;
  // As in ShellOptions.
  std::function<std::string(const std::string& svg)> save_picture = {};
};

// Throws Error, with an alternative, if no terminal can show it: for callers that want to know
// before they load BPF or start a command.
void check_watch_terminal(const Config& config, const WatchScreenOptions& options);

// Returns the exit code: 0 after q, Ctrl-C, or when `ended` said so; 128 + signal after SIGTERM,
// SIGHUP or SIGQUIT. Throws Error if there is no terminal, or the watcher cannot go on; the
// terminal is restored first. What was changed in other processes is put back before it returns or
// throws, unless the user keeps it; what can't be makes a 0 a 3. Of `config` it uses the colours,
// characters, theme and frame rate.
int run_watch_screen(WatchSource& source, const Config& config, const WatchScreenOptions& options);

}  // namespace pipetop::tui

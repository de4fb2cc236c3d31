// The dashboard: turns the user's actions into changes of the engine and of what is shown, until
// the user quits.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/config/config.h"
#include "engine/config/talk.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "engine/watch/watch_source.h"
#include "tui/dashboard/dashboard_state.h"
#include "tui/dashboard/layout.h"
#include "tui/dashboard/scene_changes.h"
#include "tui/dashboard/source.h"
#include "tui/dashboard/talk.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/notes/notes.h"
#include "tui/screen/screen.h"
#include "tui/watch/pipeline_state.h"
#include "tui/watch/recorded_pipeline.h"
#include "tui/watch/watch_controller.h"
#include "tui/widgets/held_figures.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {

// Begins to watch what a scene names. It ends with the last owner of the result. Throws Error.
using OpenScene = std::function<std::shared_ptr<WatchSource>(const SceneWatch&)>;

// The rate that a stored result has of these settings, in the workload's unit.
using StoredRate = std::function<std::optional<double>(const Settings&)>;

struct DashboardOptions {
  std::optional<double> roof_gib_per_s = {};  // the upper bound of a pipe's rate, if known
  StoredRate against = {};                    // empty: there is none to compare with
  std::function<void(const Snapshot&)> every_snapshot = {};  // also while the screen is frozen
  Tape* tape = nullptr;  // gets every snapshot as it is shown, or would be if it were not frozen
  std::optional<TalkOptions> present = {};  // the config's scenes are given as a talk
  OpenScene open_scene = {};                // empty: scenes that watch cannot be shown
  // Gets, after the screen, what was changed in other processes and could not be put back.
  std::function<void(const std::string&)> say = {};
  // Saves a picture; returns the file's name. Throws Error. Empty: none can be saved.
  std::function<std::string(const std::string& svg)> save_picture = {};
};

class Controller : public ListScreen {
 public:
  // `start` are the initial settings, also used as baseline. `presets` must outlive it.
  Controller(Source& source, const Settings& start, std::span<const Preset> presets);

  const DashboardState& state() const { return state_; }

  // The upper bound (roof) of a pipe's rate here, in GiB/s.
  void set_roof(std::optional<double> gib_per_s) { state_.roof_gib_per_s = gib_per_s; }

  void compare_with(StoredRate then) { stored_rate_ = std::move(then); }

  // What an audience sees.
  void set_show(bool on);

  // Figures change no more often than they can be read.
  void hold_figures() { holds_figures_ = true; }
  // `every_snapshot` gets each that the source gives, also while the screen is frozen.
  void tell_snapshots(std::function<void(const Snapshot&)> every_snapshot) {
    every_snapshot_ = std::move(every_snapshot);
  }
  // On another terminal, while a talk goes on.
  void serve_notes();
  // For the scenes of a talk that watch.
  void open_scenes_by(OpenScene open) { open_scene_ = std::move(open); }
  // Leaves a scene that watches, if it is one: what it has changed in other processes is put back.
  // Returns what could not be put back.
  std::vector<std::string> end_watching();

  int event_fd() const override { return source_.event_fd(); }
  bool handle_events() override;
  bool tick(uint64_t viewer_ns) override;
  void record(Tape& tape) override;
  void lay_out(int rows, int cols) override { show(*shown_, rows, cols); }
  void draw(Canvas& canvas) const override;
  // While a scene watches, our own pipe stands still; whoever continues us continues it, too.
  void suspend() override {
    end_turns();
    if (!watch_source_) source_.suspend();
  }
  void resume() override {
    source_.resume();
    if (watch_source_) source_.suspend();
  }

  // What is on the screen; a frozen one stays.
  const Snapshot& shown() const { return *shown_; }
  // Whether it has all that will come: nothing settles or warms up any more.
  bool has_settled() const;
  // Shows this one, which must outlive it or the next one.
  void show(const Snapshot& shown, int rows, int cols);

  // All keys but the knobs', in the order of the help page.
  static std::vector<KeyTable> keys();
  // Those of a replay: its own, and what changes nothing.
  static std::vector<KeyTable> keys_of_replay();

  // A talk's scenes, which must outlive it. With `presented` the keys are a clicker's, the show is
  // on, and the first scene is entered: the source must have begun with its settings.
  void begin_talk(std::span<const Scene> scenes, const TalkOptions* presented = nullptr);
  // Enters the next scene if its time has come. `now` is live, also while frozen.
  void go_on(const Snapshot& now);

  // The source's time. Messages age in the viewer's, which is another one while a recording is
  // replayed.
  void set_time(uint64_t now_ns) { set_time(now_ns, now_ns); }
  void set_time(uint64_t now_ns, uint64_t viewer_ns);

 protected:
  ScreenState& common() override { return state_; }
  std::vector<KeyTable> key_tables() const override {
    return state_.replay ? keys_of_replay() : keys();
  }
  uint8_t place() const override {
    return state_.log.open || state_.ladder.open ? kWithPage : kWithoutPage;
  }
  ListChoice& choice() override { return state_.choice; }
  std::span<ListState> lists() override { return state_.lists; }
  ListState& list() override { return state_.list(state_.focus); }
  bool press_first(Key key) override;
  bool press_last(Key key) override;
  void move(int lines) override;
  int page_rows() const override;
  // A hand on the mouse must not change a talk.
  bool takes_mouse() const override { return !(state_.talk.presenting && state_.show.on); }
  void click(const Mouse& mouse) override;
  void scroll(const Mouse& mouse, int lines) override;
  void settle() override;
  PageState* open_page() override;

 private:
  // Where keys have a meaning: with or without a page in place of other panels.
  enum Place : uint8_t { kWithoutPage = kTakesEnds, kWithPage = 2 };
  struct Keymap;

  void press_transport(int key) override;
  void follow_replay();
  void follow_recorded_talk();
  void switch_over();
  void serve_page();
  void press_knob(const HotKey& hot);
  bool press_talk(Key key);
  void enter_scene(size_t index);
  void watch(const SceneWatch& what);
  void follow_recorded_pipeline();
  bool tick_watched(uint64_t viewer_ns);
  bool press_watched(Key key);
  void show_scene(const Scene& scene);
  void end_transition();
  bool is_in_force() const;
  bool is_as_written() const;
  void switch_transitions();
  void keep_scene();
  void compare_scenes();
  void step_scene(int by);
  void press_preset(int index);
  void undo();
  void redo();
  void baseline();
  void step(int role);
  void freeze() override;
  void change_focus(int step);
  void step_focus(int step);
  void open_pipeline();
  void select_in_pipeline(Panel panel);
  void compare();
  void keep_a();
  void take_turns();
  void end_turns();
  void apply_turn(std::optional<Turns::Side> side);
  void toggle_log() { toggle_page(state_.log, ShowPart::log); }
  void toggle_ladder() { toggle_page(state_.ladder, ShowPart::ladder); }
  void toggle_page(PageState& page, ShowPart in_show);
  void toggle_show() { set_show(!state_.show.on); }
  void next_show_part();
  void toggle_zoom();
  void press_inspect();
  void choose_in_show(ShowPart chosen);
  void toggle_form() override;
  void toggle_activity() override;
  void next_picture();
  void press_parts();
  void press_roof();
  void switch_counters();
  bool close_overlay();
  void close();
  void quit() override;

  // Settings, and the preset or start that they came from.
  struct Step {
    Settings settings, base;
  };
  using Steps = std::deque<Step>;

  bool apply(const Settings& next, const std::string& label, const std::string& key);
  void change_workload(WorkloadKind kind);
  bool go(Steps& from, Steps& to, const std::string& label, Key key);
  bool change_to(const Settings& next, const std::string& label, const std::string& key,
                 std::string already);
  bool inspect(Key key);
  std::optional<SlotsPlace> slots() const;  // of the ring, where they are drawn
  Layout layout() const { return screen_layout(state_, rows_, cols_); }

  Source& source_;
  Settings start_;
  std::span<const Preset> presets_;  // of the initial workload
  Settings base_ = start_;  // the last preset, or the start: later changes were made by hand
  Steps undo_, redo_;       // what was requested before, and after, each of the last changes
  DashboardState state_;
  Snapshot latest_;  // of the source
  Snapshot kept_;    // what was shown when it froze
  const Snapshot* shown_ = &latest_;
  WholeFrames whole_frames_;
  HeldFigures held_;
  PipelineState pipeline_;  // of our workers, while it is shown
  bool holds_figures_ = false;
  // Of a scene that watches, in the place of all else: what runs now, or was recorded.
  OpenScene open_scene_;
  std::shared_ptr<WatchSource> watch_source_;
  std::shared_ptr<RecordedPipeline> recorded_;
  std::unique_ptr<WatchController> watched_;
  std::function<void(const Snapshot&)> every_snapshot_;
  std::optional<NotesServer> notes_;
  std::vector<NotesCheck> checks_;  // of the present scene
  uint64_t checks_due_ns_ = 0;
  StoredRate stored_rate_;
  std::optional<Settings> then_of_;  // the settings that it was asked for last
  Settings live_settings_;           // while the recording of a talk is shown in its place
  bool recorded_slowly_ = false;     // its scene has begun in slow motion
  SceneChanges scene_changes_;
  Reading<Change> scene_change_;  // of the present scene
  uint64_t scene_change_due_ns_ = 0;
  uint64_t recorded_scene_ns_ = 0;  // when the last one began that the recording was told
  uint64_t recorded_ns_ = 0;        // the last frame
  int rows_ = 0, cols_ = 0;
};

// Throws Error, with an alternative, if no terminal can show the dashboard. For
// callers that want to know before they start an engine.
void check_terminal(const Config& config);

// Returns the exit code: 0 after q or Ctrl-C, 128 + signal after SIGTERM,
// SIGHUP or SIGQUIT; what can't be put back makes a 0 a 3. Throws Error if there is no terminal, or
// the source cannot continue; the terminal is restored first. `config.settings` must be the
// source's initial settings.
int run_dashboard(Source& source, const Config& config, const DashboardOptions& options);

}  // namespace pipetop::tui

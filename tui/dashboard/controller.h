// Turns the user's actions into changes of the engine and the screen.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"
#include "tui/draw/keys.h"
#include "tui/state/dashboard_state.h"
#include "tui/state/layout.h"
#include "tui/state/show_layout.h"

namespace pipetop::tui {

// What the dashboard needs from an engine: the real one or, in tests, one with
// made-up numbers.
class Source {
 public:
  virtual ~Source() = default;

  // As in Engine, but the workload may change.
  virtual int event_fd() const = 0;
  virtual void handle_events() = 0;
  virtual void apply(const Settings& requested, const std::string& label,
                     const std::string& key) = 0;
  virtual Snapshot tick() = 0;
  virtual Segment segment() = 0;
  virtual void count(BpfCounters layout) = 0;
  virtual void suspend() = 0;
  virtual void resume() = 0;
  virtual bool step(Role) { return false; }
  virtual std::string obstacle(const Settings&, std::string_view) const { return {}; }

  // Where a recording is; null for what happens now.
  virtual const ReplayState* replay() const { return nullptr; }
  // A key of a recording: what is said, which may be "". Nothing if it is none of them.
  virtual std::optional<std::string> press(Key) { return std::nullopt; }
};

// What only the owner of the terminal can do
enum class Outcome : uint8_t {
  stay,
  redraw_all,
  toggle_mouse,
  toggle_recording,
  next_theme,
  save_picture,
  suspend,
  quit,
  abort
};

class Controller {
 public:
  // `start` are the initial settings, also used as baseline. `presets` must outlive it.
  Controller(Source& source, const Settings& start, std::span<const Preset> presets);

  const DashboardState& state() const { return state_; }

  // The upper bound (roof) of a pipe's rate here, in GiB/s.
  void set_roof(std::optional<double> gib_per_s) { state_.roof_gib_per_s = gib_per_s; }

  // What an audience sees.
  void set_show(bool on);

  // The contents of the screen, for lists, clicks and the wheel. To be called for
  // every frame.
  void show(const Snapshot& shown, int rows, int cols);

  Outcome handle(const Input& input, const Snapshot& shown);

  struct Binding {
    Key key;
    void (Controller::*act)(int n, const Snapshot& shown);
    int n = 0;
    ScreenKey help = {};  // empty where another key's line names it
  };
  // Of all keys but the knobs', in the order of the help page.
  static std::span<const Binding> bindings();

  // A talk's scenes, which must outlive it. With `presented` the keys are a clicker's, the show is
  // on, and the first scene is entered: the source must have begun with its settings.
  void begin_talk(std::span<const Scene> scenes, const TalkOptions* presented = nullptr);
  // Enters the next scene if its time has come. `now` is live, also while frozen.
  void go_on(const Snapshot& now);

  // For the message line; it disappears by itself.
  void show_message(std::string text, Severity severity = Severity::info);
  // The source's time, which continues while frozen. Messages age in the viewer's, which is
  // another one while a recording is replayed.
  void set_time(uint64_t now_ns) { set_time(now_ns, now_ns); }
  void set_time(uint64_t now_ns, uint64_t viewer_ns);

  void set_recording(bool on) { state_.recording = on; }

 private:
  struct Keymap;
  template <auto kAct>
  void run(int n, const Snapshot& shown);
  template <Outcome kOutcome>
  void leave(int, const Snapshot&) {
    outcome_ = kOutcome;
  }

  void press(Key key, const Snapshot& shown);
  bool press_replay(Key key);
  void follow_replay(const Snapshot& shown);
  void press_knob(const HotKey& hot);
  bool press_talk(Key key);
  void enter_scene(size_t index, Key key);
  void show_scene(const Scene& scene);
  void step_scene(int by);
  void press_preset(int index);
  void undo();
  void redo();
  void baseline();
  void step(int role);
  void freeze(const Snapshot& shown);
  void change_focus(int step);
  void move(int lines);
  void page(int pages) { move(pages * page_rows()); }
  void compare(const Snapshot& shown);
  void toggle_log() { toggle_page(state_.log, ShowPart::log); }
  void toggle_ladder() { toggle_page(state_.ladder, ShowPart::ladder); }
  void toggle_page(PageState& page, ShowPart in_show);
  void toggle_show() { set_show(!state_.show.on); }
  void next_show_part();
  void toggle_zoom();
  void toggle_messages() { state_.messages.toggle(); }
  void toggle_help() { state_.help.toggle(); }
  void press_inspect(const Snapshot& shown);
  void press_parts(const Snapshot& shown);
  void press_roof();
  void switch_counters(const Snapshot& shown);
  bool close_overlay();
  void close();
  void quit();

  // Settings, and the preset or start that they came from.
  struct Step {
    Settings settings, base;
  };
  using Steps = std::deque<Step>;

  void settle(const Snapshot& shown);
  bool apply(const Settings& next, const std::string& label, Key key);
  void change_workload(WorkloadKind kind);
  bool go(Steps& from, Steps& to, const std::string& label, Key key);
  bool change_to(const Settings& next, const std::string& label, Key key, std::string already);
  bool inspect(Key key, const Snapshot& shown);
  void click(const Mouse& mouse, const Snapshot& shown);
  void click_list(Role role, int row);
  void scroll(const Mouse& mouse, int lines);
  Layout layout() const { return screen_layout(state_, rows_, cols_); }
  int page_rows() const;
  // The page on top, nullptr if there is none.
  PageState* open_page();

  Source& source_;
  Settings start_;
  std::span<const Preset> presets_;  // of the initial workload
  Settings base_ = start_;  // the last preset, or the start: later changes were made by hand
  Steps undo_, redo_;       // what was requested before, and after, each of the last changes
  DashboardState state_;
  Outcome outcome_ = Outcome::stay;
  int rows_ = 0, cols_ = 0;
  uint64_t viewer_ns_ = 0, message_until_ns_ = 0;
};

}  // namespace pipetop::tui

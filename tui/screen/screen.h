// What the shell needs of a screen: dashboard, notes, or watch. See shell.h.
#pragma once

#include <cstdint>
#include <string>

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
  virtual void set_recording(bool) {}

  // Keeps selections and scrolling within a screen of this size. Before each draw().
  virtual void lay_out(int rows, int cols) = 0;
  virtual void draw(Canvas& canvas) const = 0;

  virtual bool uses_mouse() const { return true; }
  virtual Outcome handle(const Input& input) = 0;
  // For the message line, if there is one; it disappears by itself.
  virtual void say(std::string text, Severity severity = Severity::info) = 0;

  // Before somebody else gets the terminal, and afterwards.
  virtual void suspend() {}
  virtual void resume() {}

  // A command of the same process group, which gets the terminal's SIGINT and SIGQUIT; those of
  // Ctrl-C and Ctrl-\ must be delivered, as the terminal is raw.
  virtual bool has_command() const { return false; }
  virtual void deliver(int /*signal*/) {}
};

}  // namespace pipetop::tui

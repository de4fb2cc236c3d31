#include "tui/notes/notes_app.h"

#include <fmt/core.h>

#include <ctime>
#include <string>

#include "engine/base/clock.h"
#include "tui/notes/notes_screen.h"
#include "tui/notes/notes_socket.h"
#include "tui/screen/shell.h"

namespace pipetop::tui {
namespace {

std::string clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

class NotesApp final : public Screen {
 public:
  uint64_t period_ns(uint64_t) const override { return 100 * kMs; }

  bool tick(uint64_t now_ns) override {
    state_.now_ns = now_ns;
    reader_.update(notes_directories(), notes_owner().uid);
    return true;
  }

  void lay_out(int, int) override {}
  void draw(Canvas& canvas) const override {
    draw_notes(canvas, {reader_.page(), reader_.connected(), state_.now_ns, clock_text()});
  }

  // Nothing can be clicked, but text selected.
  bool uses_mouse() const override { return false; }

 protected:
  ScreenState& common() override { return state_; }
  std::vector<KeyTable> key_tables() const override { return {terminal_keys()}; }

 private:
  ScreenState state_;
  NotesReader reader_;
};

}  // namespace

int run_notes(const Config& config) {
  NotesApp notes;
  return run_screen(notes, config);
}

}  // namespace pipetop::tui

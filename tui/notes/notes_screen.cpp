#include "tui/notes/notes_screen.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/notes/notes_socket.h"
#include "tui/screen/shell.h"

namespace pipetop::tui {
namespace {

constexpr int kMargin = 2;

std::string elapsed(uint64_t since_ns, uint64_t now_ns) {
  return since_ns == 0 ? "--:--" : elapsed_text(now_ns - std::min(since_ns, now_ns));
}

void draw_head(const Area& line, const NotesState& view) {
  Pen pen(line, 0, kMargin);
  pen.text("pipetop notes", Style::title);
  if (view.page) pen.text(fmt::format("   scene {} of {}", view.page->scene, view.page->scenes));
  const int right = line.cols() - kMargin - columns_of(view.clock);
  if (pen.col() + 2 < right) line.put(0, right, view.clock, Style::value);
}

// Each line of the notes is a paragraph.
void draw_paragraphs(const Area& area, const std::string& text) {
  int row = 0;
  for (const std::string& paragraph : split(text, '\n')) {
    if (row >= area.rows()) return;
    row += std::max(1, wrap(area.from_row(row), paragraph, Style::plain));
  }
}

void draw_foot(const Area& lines, const NotesState& view) {
  const NotesPage& page = *view.page;
  Pen next(lines, 0, kMargin);
  next.text("next  ", Style::dim);
  lines.put_fitted(0, next.col(), next.room() - kMargin, page.next.empty() ? "the end" : page.next,
                   Style::plain);
  Pen times(lines, 1, kMargin);
  times.text("talk  ", Style::dim).text(elapsed(page.begun_ns, view.now_ns), Style::value);
  times.text("   scene  ", Style::dim).text(elapsed(page.entered_ns, view.now_ns), Style::value);
  if (!view.connected) times.text("   the talk has ended", Style::warning);
}

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

void draw_notes(Canvas& canvas, const NotesState& view) {
  const Area all(canvas, {0, 0, canvas.rows(), canvas.cols()});
  draw_head(all, view);
  const int inner_cols = std::max(0, all.cols() - 2 * kMargin);
  if (!view.page) {
    wrap(all.part({2, kMargin, all.rows(), inner_cols}),
         "No talk yet: this shows the notes as soon as pipetop present has begun. q quits.",
         Style::plain);
    return;
  }
  const int foot = std::max(3, all.rows() - 2);
  draw_foot(all.from_row(foot, 2), view);
  const Area body = all.part({2, kMargin, std::max(0, foot - 3), inner_cols});
  const int title_rows = wrap(body, view.page->title, {Style::title, kBold});
  draw_paragraphs(body.from_row(title_rows + 1), view.page->notes);
}

int run_notes(const Config& config) {
  NotesApp notes;
  return run_screen(notes, config);
}

}  // namespace pipetop::tui

#include "tui/dashboard/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "tui/dashboard/layout.h"
#include "tui/dashboard/text_width.h"
#include "tui/widgets/help.h"
#include "tui/widgets/key_bar.h"
#include "tui/widgets/message_line.h"
#include "tui/widgets/numbers.h"
#include "tui/widgets/panel.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/throughput.h"
#include "tui/widgets/title_bar.h"
#include "tui/widgets/verdict_line.h"
#include "tui/widgets/worker.h"

namespace pipetop::tui {
namespace {

void draw_too_small(Canvas& canvas) {
  const std::string text =
      fmt::format("needs {}x{}, has {}x{}", kMinCols, kMinRows, canvas.cols(), canvas.rows());
  const Area area(canvas, {0, 0, canvas.rows(), canvas.cols()});
  const int lines =
      (columns_of(text) + std::max(canvas.cols(), 1) - 1) / std::max(canvas.cols(), 1);
  const int row = std::max(0, (canvas.rows() - lines) / 2);
  const int col = std::max(0, (canvas.cols() - columns_of(text)) / 2);
  wrap(area.part({row, col, canvas.rows(), canvas.cols()}), text, Style::warning);
}

// The share that fills a bar: the largest of both roles, so that bars compare.
double full_bar(const Snapshot& s) {
  double most = 0.05;
  for (const WorkerView& w : s.workers) {
    if (!w.functions.has_value() || w.functions->rows.empty()) continue;
    most = std::max(most, w.functions->share(w.functions->rows.front().self_samples));
  }
  return most;
}

void draw_role(Canvas& canvas, const Layout& layout, const Rect& rect, const Snapshot& s,
               const ViewState& state, Role role) {
  const WorkerView& w = s.worker(role);
  const bool focused = state.focus == role && !state.ring.inspected;
  const auto title = worker_title(w, s.effective, title_room(rect.cols));
  const Area area = draw_panel(canvas, layout, rect, title, focused);
  ListState list = state.list(role);
  follow(list, w.functions, function_rows(area.rows(), area.cols()));
  draw_worker(area, w, {w.functions, list, role, focused, full_bar(s)});
}

// What is wrong is said to its end: a remedy that is cut helps nobody. It grows
// over the lowest lines of the lists.
void draw_message_over(Canvas& canvas, Rect rect, const Message& message) {
  constexpr int kMostRows = 3;
  const int wanted = std::min(message_rows(message, rect.cols), kMostRows);
  const int more = message.severity == Severity::info ? 0 : std::max(0, wanted - rect.rows);
  const Area area(canvas, {rect.row - more, rect.col, rect.rows + more, rect.cols});
  if (more > 0) area.fill(U' ', {});
  draw_message(area, message);
}

}  // namespace

void draw(Canvas& canvas, const Snapshot& s, const ViewState& state) {
  const Layout layout = make_layout(canvas.rows(), canvas.cols());
  if (!layout.fits) {
    draw_too_small(canvas);
    return;
  }
  draw_title_bar({canvas, layout.title}, s, state);
  const auto total = static_cast<double>(s.throughput.total_bytes);
  const Pace pace = pace_of(s);
  const TitlePart throughput[] = {{"throughput", Style::title},
                                  pace_badge(pace),
                                  {total > 0 ? bytes_text(total) : "", Style::dim}};
  draw_throughput(draw_panel(canvas, layout, layout.throughput, throughput), s.throughput, s.now_ns,
                  pace);
  const Rect ring_panel = inside(layout, layout.ring);
  const auto ring = ring_title(s, layout.ring.cols, ring_panel.rows);
  draw_ring(draw_panel(canvas, layout, layout.ring, ring, state.ring.inspected.has_value()), s,
            state);
  draw_role(canvas, layout, layout.writer, s, state, Role::writer);
  draw_role(canvas, layout, layout.reader, s, state, Role::reader);
  const bool verdict_shown =
      has_verdict_row(ring_panel.rows) && verdict_fits(s.verdict, ring_panel.cols);
  const VerdictAt verdict = verdict_shown ? VerdictAt::ring : VerdictAt::message;
  draw_message_over(canvas, layout.message, message_of(s, state, verdict));
  draw_key_bar({canvas, layout.keys}, s, state);
  if (state.help) draw_help(canvas, state);
}

}  // namespace pipetop::tui

#include "tui/widgets/verdict_line.h"

#include "engine/workload/pipe/verdict.h"
#include "tui/draw/pen.h"
#include "tui/draw/text_width.h"

namespace pipetop::tui {

std::string verdict_text(const Verdict& verdict) {
  return fmt::format("{}: {}", to_text(verdict.bound), verdict.because);
}

bool verdict_fits(const Reading<Verdict>& verdict, int cols) {
  return !verdict.has_value() || columns_of(verdict_text(*verdict)) <= cols;
}

void draw_verdict(const Area& area, const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) {
    const std::string reason = verdict.reason.empty() ? "…" : verdict.reason;
    area.put_fitted(0, 0, area.cols(), "no verdict: " + reason, Style::dim);
    return;
  }
  const bool stale = verdict.status == ReadingStatus::stale;
  const std::string name = std::string(to_text(verdict->bound)) + ": ";
  const int col = area.put_fitted(0, 0, area.cols(), name, stale ? Style::dim : Style::title);
  area.put_fitted(0, col, area.cols() - col, verdict->because, stale ? Style::dim : Style::plain);
}

}  // namespace pipetop::tui

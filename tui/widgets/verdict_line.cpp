#include "tui/widgets/verdict_line.h"

#include "tui/dashboard/pen.h"
#include "tui/dashboard/text_width.h"

namespace pipetop::tui {

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::writer:
      return "writer-bound";
    case Bound::reader:
      return "reader-bound";
    case Bound::lock:
      return "lock-bound";
    case Bound::wakeup:
      return "wakeup-bound";
    case Bound::cpu:
      return "cpu-bound";
  }
  return "";
}

std::string verdict_text(const Verdict& verdict) {
  return fmt::format("{}: {}", name_of(verdict.bound), verdict.because);
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
  const std::string name = std::string(name_of(verdict->bound)) + ": ";
  const int col = area.put_fitted(0, 0, area.cols(), name, stale ? Style::dim : Style::title);
  area.put_fitted(0, col, area.cols() - col, verdict->because, stale ? Style::dim : Style::plain);
}

}  // namespace pipetop::tui

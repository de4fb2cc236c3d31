#include "tui/widgets/ring_plan.h"

#include <algorithm>

#include "tui/widgets/heat_map.h"

namespace pipetop::tui {
namespace {

constexpr int kDetailRows = 4, kMostDetailRows = 6;
constexpr int kThickest = 3, kMostLines = 6;

// What the picture needs before anything else grows.
int least_picture(RingPicture picture, int rows, bool many_slots) {
  switch (picture) {
    case RingPicture::heat_map:
      return rows < 6 ? 1 : kLeastHeatRows;
    case RingPicture::histogram:
      return rows >= 9 ? 3 : 1;
    case RingPicture::both:
      break;
  }
  if (rows >= 11) return rows >= 18 ? 7 : kLeastHeatRows + (many_slots ? 0 : 1);
  return rows >= 9 ? 3 : 1;
}

// Gives the strip its lines or its thickness; returns the rows it takes beyond
// one line and its underline.
int grow_strip(StripLook& look, uint32_t slots, int cols, int rows_left) {
  const int rows = rows_left + look.line_rows();
  look.scale = strip_scale(slots, cols, std::clamp(rows / look.line_rows(), 1, kMostLines));
  if (look.scale.lines == 1) look.thickness = std::clamp(1 + rows_left, 1, kThickest);
  return look.rows() - (1 + (look.underline ? 1 : 0));
}

}  // namespace

RingPlan ring_plan(int rows, int cols, uint32_t slots, const RingState& state, Pace pace) {
  RingPlan plan;
  plan.look.selected = state.inspected;
  const bool slow = pace == Pace::slow_motion, inspecting = state.inspected.has_value();
  plan.look.order = slow ? StripOrder::by_index : StripOrder::from_tail;
  if (slow) plan.look.trail = &state.trail;

  int left = std::max(0, rows - 2);  // the summary, and a line of slots
  const bool many_slots = static_cast<int>(slots) > cols;
  plan.detail_rows = inspecting ? std::min(kDetailRows, left) : 0;
  plan.picture_rows =
      inspecting ? 0 : std::min(left, least_picture(state.picture, rows, many_slots));
  left -= plan.detail_rows + plan.picture_rows;
  const auto take = [&](bool wanted) { return wanted && left > 0 && left-- > 0; };
  const bool verdict = take(has_verdict_row(rows)), legend = take(!inspecting);
  plan.look.underline = take(true);
  const bool markers = take(true);
  left -= grow_strip(plan.look, slots, cols, left);
  const int more_detail = inspecting ? std::min(left, kMostDetailRows - kDetailRows) : 0;
  plan.detail_rows += more_detail;
  plan.picture_rows += left - more_detail;

  int row = 1;
  const auto place = [&row](bool there, int piece_rows) {
    const int first = there ? row : -1;
    row += there ? piece_rows : 0;
    return first;
  };
  plan.markers = place(markers, 1);
  plan.strip = place(rows >= 2, plan.look.rows());
  plan.legend = place(legend, 1);
  plan.detail = place(plan.detail_rows > 0, plan.detail_rows);
  if (plan.picture_rows >= 7) ++row, --plan.picture_rows;  // air
  plan.picture = place(plan.picture_rows > 0, plan.picture_rows);
  if (verdict) plan.verdict = rows - 1;
  return plan;
}

}  // namespace pipetop::tui

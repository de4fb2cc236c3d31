#include "tui/state/layout.h"

#include <algorithm>

#include "engine/registry/workloads.h"

namespace pipetop::tui {
namespace {

constexpr int kTallRows = 44;  // enough for narrow panels on top of each other
constexpr int kNarrowCols = 100;
constexpr int kNarrowFunctions = 72;  // with less, two lists side by side truncate most names

int key_rows(int cols) { return cols >= 126 ? 2 : 3; }

// Two panels share a band of the screen: side by side, one column apart.
void split_cols(const Rect& band, Rect& left, Rect& right) {
  const int left_cols = (band.cols - 1) / 2;
  left = {band.row, band.col, band.rows, left_cols};
  right = {band.row, band.col + left_cols + 1, band.rows, band.cols - left_cols - 1};
}

void split_rows(const Rect& band, Rect& upper, Rect& lower) {
  const int upper_rows = band.rows / 2;
  upper = {band.row, band.col, upper_rows, band.cols};
  lower = {band.row + upper_rows, band.col, band.rows - upper_rows, band.cols};
}

// The rows for charts between title and message; function lists take the rest, as
// they can use any number of rows.
int picture_rows(int rows) { return std::clamp(rows * 3 / 7, 5, 24); }

// The verdict and the stages: side by side, or a line each.
int pipeline_rows(int rows) { return rows < 19 ? 4 : std::clamp(rows * 3 / 8, 9, 15); }

}  // namespace

Layout make_layout(int rows, int cols, const Settings& settings) {
  Layout l;
  l.fits = rows >= kMinRows && cols >= kMinCols;
  if (!l.fits) return l;
  l.boxed = rows >= 22 && cols >= 72;
  const int message_rows = rows >= 34 ? 2 : 1;
  const int keys = key_rows(cols);
  l.title = {0, 0, 1, cols};
  l.keys = {rows - keys, 0, keys, cols};
  l.message = {l.keys.row - message_rows, 0, message_rows, cols};

  const int body_rows = l.message.row - 1;
  const bool stacked = cols < kNarrowCols && rows >= kTallRows;
  const int pictures = stacked ? body_rows / 2 : picture_rows(body_rows);
  const Rect upper{1, 0, pictures, cols};
  const Rect lower{1 + pictures, 0, body_rows - pictures, cols};
  if (stacked) {
    split_rows(upper, l.throughput, l.ring);
  } else {
    split_cols(upper, l.throughput, l.ring);
  }
  if (!has_role(settings, Role::reader)) {
    l.writer = lower;
  } else if (stacked && cols < kNarrowFunctions) {
    split_rows(lower, l.writer, l.reader);
  } else {
    split_cols(lower, l.writer, l.reader);
  }
  l.page = lower;
  return l;
}

Layout make_zoomed_layout(int rows, int cols, Panel panel, Panel below) {
  Layout l;
  l.fits = rows >= kMinRows && cols >= kMinCols;
  if (!l.fits) return l;
  l.boxed = rows >= 22 && cols >= 72;
  l.title = {0, 0, 1, cols};
  l.keys = {rows - 1, 0, 1, cols};
  const int message_rows = rows >= 34 ? 2 : 1;
  l.message = {l.keys.row - message_rows, 0, message_rows, cols};
  l.page = {1, 0, l.message.row - 1, cols};
  if (panel == Panel::pipeline) {
    l.pipeline = l.page;
    l.pipeline.rows = pipeline_rows(l.page.rows);
    l.page = {l.pipeline.end_row(), 0, l.page.rows - l.pipeline.rows, cols};
    panel = below;
  }
  switch (panel) {
    case Panel::pipeline:
      break;
    case Panel::throughput:
      l.throughput = l.page;
      break;
    case Panel::ring:
      l.ring = l.page;
      break;
    case Panel::writer:
      l.writer = l.page;
      break;
    case Panel::reader:
      l.reader = l.page;
  }
  return l;
}

Rect inside(Border border, const Rect& p) {
  if (border == Border::rule) return {p.row + 1, p.col, p.rows - 1, p.cols};
  return {p.row + 1, p.col + 2, p.rows - 2, p.cols - 4};
}

int counter_rows(const Rect& panel) { return panel.rows < (panel.cols >= 130 ? 8 : 7) ? 1 : 2; }

Rect list_of(const Layout& layout, Role role) {
  const Rect panel = inside(layout, panel_of(layout, role));
  const int above = layout.counters ? counter_rows(panel) : 0;
  return {panel.row + above, panel.col, panel.rows - above, panel.cols};
}

int function_line(const Rect& list, int row) {
  return row < list.end_row() ? std::max(-1, row - (list.end_row() - function_rows(list))) : -1;
}

}  // namespace pipetop::tui

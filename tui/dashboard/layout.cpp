#include "tui/dashboard/layout.h"

#include <algorithm>

#include "engine/workload/table/workloads.h"
#include "tui/draw/text.h"
#include "tui/widgets/show.h"
#include "tui/widgets/workers.h"

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

void split_lists(const Rect& band, const Settings& settings, Layout& l) {
  if (has_role(settings, Role::reader))
    split_cols(band, l.writer, l.reader);
  else
    l.writer = band;
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

// ---- the show ----

constexpr int kMargin = 1;
constexpr int kUsualCaptionRows = 3;

// What the large part needs, with its title.
int least_rows(ShowPart view) {
  switch (view) {
    case ShowPart::log:
      return 7;
    case ShowPart::ladder:
      return 10;  // the article's seven rungs, a heading and the scale
    case ShowPart::ring:
    case ShowPart::functions:
    case ShowPart::tree:
    case ShowPart::waiting:
    case ShowPart::throughput:
      break;
  }
  return 6;
}

int factor_cols(DigitSize size) { return big_number_cols("×8.88", size); }
// With the widest usual number, so that nothing beside it moves.
int number_cols(DigitSize size) { return big_number_cols("88.8", size); }

// Slow motion counts in pages.
int unit_cols(const Settings& settings) {
  return std::max(columns_of(unit_of(settings).rate), columns_of("pages/s"));
}

// The largest digits that leave half of the screen for everything else.
void place_digits(ShowLayout& l, int row, int rows, int cols, const Settings& settings) {
  const auto beside = [&](DigitSize size) {
    return kMargin + number_cols(size) + 1 + unit_cols(settings) + 3;
  };
  const auto fits = [&](DigitSize number, DigitSize factor) {
    return beside(number) + factor_cols(factor) + kMargin <= cols;
  };
  using enum DigitSize;
  l.number_size = rows >= 38 && fits(huge, full)   ? huge
                  : rows >= 22 && fits(full, full) ? full
                                                   : half;
  l.factor_size = l.number_size;
  if (!fits(l.number_size, l.factor_size)) l.factor_size = full;
  const int digits = digit_rows(l.number_size);
  const int begin = beside(l.number_size);
  l.number = {row, kMargin, digits, begin - 3 - kMargin};
  // In the middle of the number's height.
  const int factor_rows = digit_rows(l.factor_size);
  l.factor = {row + (digits - factor_rows) / 2, begin, factor_rows, cols - begin - kMargin};
}

// The panels of which the large part consists.
Layout panels_in_show(const ShowLayout& show, const Settings& settings, ShowPart view) {
  Layout l;
  l.fits = show.fits;
  l.counters = false;
  l.title = show.title;
  l.message = show.message;
  if (shows_lists_in_show(view)) {
    split_lists(show.large, settings, l);
  } else if (view == ShowPart::ring) {
    l.ring = show.large;
  } else if (view == ShowPart::throughput) {
    l.throughput = show.large;
  } else {
    l.page = show.large;
  }
  return l;
}

}  // namespace

Layout make_layout(int rows, int cols, const Settings& settings) {
  Layout l{frame_of(rows, cols, key_rows(cols))};
  if (!l.fits) return l;
  const bool stacked = cols < kNarrowCols && rows >= kTallRows;
  const int pictures = stacked ? l.body.rows / 2 : picture_rows(l.body.rows);
  const Rect upper{1, 0, pictures, cols};
  const Rect lower{1 + pictures, 0, l.body.rows - pictures, cols};
  if (stacked) {
    split_rows(upper, l.throughput, l.ring);
  } else {
    split_cols(upper, l.throughput, l.ring);
  }
  if (stacked && cols < kNarrowFunctions && has_role(settings, Role::reader)) {
    split_rows(lower, l.writer, l.reader);
  } else {
    split_lists(lower, settings, l);
  }
  l.page = lower;
  return l;
}

Layout make_zoomed_layout(int rows, int cols, Panel panel, Panel below) {
  Layout l{frame_of(rows, cols, 1)};
  if (!l.fits) return l;
  l.page = l.body;
  if (panel == Panel::pipeline) {
    l.pipeline = l.page;
    l.pipeline.rows = pipeline_rows(l.page.rows);
    l.page = {l.pipeline.end_row(), 0, l.page.rows - l.pipeline.rows, cols};
    panel = below;
  }
  Rect* const places[] = {&l.throughput, &l.ring, &l.writer, &l.reader};
  *places[static_cast<size_t>(panel)] = l.page;
  return l;
}

Rect list_of(const Layout& layout, Role role) {
  const Rect panel = inside(layout, panel_of(layout, role));
  const int above = layout.counters ? counter_rows(panel) : 0;
  return {panel.row + above, panel.col, panel.rows - above, panel.cols};
}

ShowLayout show_layout(int rows, int cols, const Settings& settings, const ShowState& show) {
  ShowLayout l;
  l.fits = rows >= kMinRows && cols >= kMinCols;
  if (!l.fits) return l;
  const int air = rows >= 28 ? 1 : 0;
  l.title = {0, 0, 1, cols};
  int row = 1 + air;
  place_digits(l, row, rows, cols, settings);
  row = l.number.end_row() + air;
  const auto take = [&](int taken) {
    row += taken;
    return Rect{row - taken, kMargin, taken, cols - 2 * kMargin};
  };
  l.compared = take(1);
  l.cause = take(rows >= 20 ? 2 : 1);
  row += air;

  l.words = {rows - 1, 0, 1, cols};
  l.message = {rows - 2, 0, 1, cols};
  const int wanted = static_cast<int>(caption_lines(show.caption, cols - 2 * kMargin).size());
  const int usual = show.scenes > 0 || wanted > 0 ? kUsualCaptionRows : 0;
  const int caption = std::min(std::max(wanted, usual), std::max(usual, rows / 4));
  l.caption = {l.message.row - caption, kMargin, caption, cols - 2 * kMargin};
  const int end = l.caption.row - (caption > 0 ? air : 0);

  const int least = least_rows(show.part());
  const auto has_room = [&](int for_rows) { return end - row - for_rows >= least; };
  const auto band = [&](int band_rows) {
    row += band_rows;
    return Rect{row - band_rows, kMargin, band_rows, cols - 2 * kMargin};
  };
  const bool lists = shows_lists_in_show(show.part());
  const int top = 1 + static_cast<int>(kTopFunctions);
  const int strip_rows = has_room(16) ? 5 : 3;
  const bool has_strip = terms_of(settings).has_ring && show.part() != ShowPart::ring;
  const bool has_top = !lists && !show.no_functions && has_room(top);
  if (has_strip && has_room(strip_rows + (has_top ? top : 0))) l.strip = band(strip_rows);
  if (has_top) {
    l.large = band(end - top - row);
    l.top = band(top);
  } else {
    l.large = band(end - row);
  }
  return l;
}

std::optional<Rect> watched_in_show(const DashboardState& view, int rows, int cols) {
  if (!view.show.on) return {};
  const ShowLayout show = show_layout(rows, cols, view.on_screen(), view.show);
  if (!show.fits) return {};
  const int begin = show.title.end_row();
  return Rect{begin, 0, show.caption.row - begin, show.title.cols};
}

Layout screen_layout(const DashboardState& view, int rows, int cols) {
  if (view.zoom) return make_zoomed_layout(rows, cols, *view.zoom, view.below_pipeline);
  if (!view.show.on) return make_layout(rows, cols, view.on_screen());
  return panels_in_show(show_layout(rows, cols, view.on_screen(), view.show), view.on_screen(),
                        view.show.part());
}

}  // namespace pipetop::tui

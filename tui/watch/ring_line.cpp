#include "tui/watch/ring_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/curve.h"
#include "tui/widgets/pipes.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {
namespace {

// Passes over the whole machine are half a second apart, and more when it is busy.
constexpr uint64_t kLongestGap_ns = 3'000'000'000;
constexpr int kLeastStrip = 8, kMostStrip = 64;
constexpr int kLeastEnds = 14, kMostEnds = 40;

StripStyle strip_style(const Area& area, uint32_t slots) {
  StripStyle view;
  view.scale = strip_scale(slots, area.cols(), area.rows());
  view.thickness = view.scale.lines == 1 ? std::clamp(area.rows(), 1, 3) : 1;
  return view;
}

Bins bins_of(const Series<RatePoint>& points, uint64_t now_ns, const Area& area) {
  return bin_history(points, now_ns, area.cols() * bins_in_a_cell(area.glyphs()), kLongestGap_ns);
}

// A figure of the line, and how much it is needed: the lowest are kept.
struct RingField {
  Item item;
  int rank = 0;
  int cols = 0;  // always as wide, so that nothing moves
};

Item share_item(const Pipe& pipe, const char* name, double RingLevel::*share) {
  const auto text = [&](const RingLevel& s) { return whole_percent_text(s.*share); };
  Item item = item_of(pipe.level, name, "", text);
  item.width = 5;
  return item;
}

Item rate_item(const Pipe& pipe) {
  return {{}, pipe_rate_text(pipe), {}, {value_style(pipe.bytes_per_s), kBold}, 11};
}

Ink factor_ink() { return {Style::mark, kBold}; }

Ink size_ink(const RingShown& shown) {
  return {shown.pipe.capacity ? Style::value : Style::dim, shown.selected ? kReverse : kNone};
}

// From left to right.
std::vector<RingField> fields_of(const RingShown& shown) {
  const Pipe& pipe = shown.pipe;
  std::vector<RingField> fields = {{rate_item(pipe), 1, 11},
                                   {share_item(pipe, "full", &RingLevel::full_share), 2, 10},
                                   {share_item(pipe, "empty", &RingLevel::empty_share), 4, 11}};
  if (!shown.factor.empty()) fields.push_back({{{}, shown.factor, {}, factor_ink(), 5}, 3, 5});
  return fields;
}

// Those that leave enough room, with two blanks before each.
void choose_fields(std::vector<RingField>& fields, int room) {
  std::vector<int> ranks;
  for (const RingField& field : fields) ranks.push_back(field.rank);
  std::ranges::sort(ranks);
  std::vector<int> kept;
  for (const int rank : ranks) {
    const auto& field = *std::ranges::find(fields, rank, &RingField::rank);
    if (field.cols + 2 > room) continue;
    room -= field.cols + 2;
    kept.push_back(rank);
  }
  std::erase_if(fields, [&](const RingField& field) {
    return std::ranges::find(kept, field.rank) == kept.end();
  });
}

int columns_of_fields(const std::vector<RingField>& fields) {
  int cols = 0;
  for (const RingField& field : fields) cols += field.cols + 2;
  return cols;
}

void put_arrow(const Area& area, const RingShown& shown) {
  area.set(0, 0, shown.selected ? area.glyphs().closed : U' ', Style::focus);
  area.put(0, 2, "▾", Style::frame);
}

// The arrow, whose pipe it is, the slots, and the figures.
void draw_figures(const Area& line, const RingShown& shown) {
  put_arrow(line, shown);
  Pen pen(line, 0, 4);
  if (!shown.ends.empty()) {
    const int room = std::clamp(line.cols() / 3, kLeastEnds, kMostEnds);
    const int end = line.put_fitted(0, 4, room, shown.ends, Style::plain);
    pen.skip(end - 4 + 2);
  }
  const std::string size = size_text(shown.pipe.capacity);
  pen.text(size, size_ink(shown)).skip(std::max(1, 9 - columns_of(size)));
  std::vector<RingField> fields = fields_of(shown);
  choose_fields(fields, pen.room() - kLeastStrip);
  const int strip = std::min(pen.room() - columns_of_fields(fields), kMostStrip);
  draw_fill(line.part({0, pen.col(), 1, strip}), shown);
  pen.skip(strip);
  for (const RingField& field : fields) {
    const std::array items = {field.item};
    pen.skip(2);
    put_items(line.part({0, pen.col(), 1, field.cols}), items);
    pen.skip(field.cols);
  }
}

void draw_histories(const Area& area, const RingShown& shown) {
  constexpr std::string_view kRate = "rate ", kLevel = "used ";
  const int half = (area.cols() - 4) / 2;
  const Area left = area.part({0, 4, area.rows(), half - 1});
  const Area right = area.part({0, 4 + half, area.rows(), area.cols()});
  const int last = area.rows() - 1;
  left.put(last, 0, kRate, Style::dim);
  draw_rates(left.part({0, columns_of(kRate), left.rows(), left.cols()}), shown);
  right.put(last, 0, kLevel, Style::dim);
  draw_levels(right.part({0, columns_of(kLevel), right.rows(), right.cols()}), shown);
}

}  // namespace

void draw_fill(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  const RingReadings& ring = shown.memory.readings();
  const RingFrame* frame = drawable_frame(ring);
  if (!frame) {
    const std::optional<double> share = used_share_of(shown.pipe);
    if (!share) return void(area.put(0, 0, whole_words("not known", area.cols()), Style::dim));
    const char32_t free = glyph_of(SlotKind::empty, false, area.glyphs());
    for (int row = 0; row < std::min(area.rows(), 2); ++row) {
      for (int col = 0; col < area.cols(); ++col) area.set(row, col, free, Style::frame);
      draw_bar(area.from_row(row, 1), *share, Style::graph);
    }
    return;
  }
  const StripStyle view = strip_style(area, frame->slots);
  if (shown.memory.fast() && !shown.instant && ring.occupancy.has_value())
    draw_settled_strip(area, frame->slots, view, *ring.occupancy,
                       usual_slot(ring.kinds, shown.memory.usually_huge()));
  else
    draw_strip(area, *frame, view);
}

void draw_rates(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  if (shown.pipe.rates.empty()) {
    area.put(area.rows() - 1, 0, text_of(shown.pipe.bytes_per_s, byte_rate_text), Style::dim);
    return;
  }
  const Bins bins = bins_of(shown.pipe.rates, shown.now_ns, area);
  const double most = *std::ranges::max_element(bins.values);
  draw_curve(area, bins, axis_end(most), Style::graph);
}

void draw_levels(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  if (shown.pipe.fill.empty()) return void(area.put(area.rows() - 1, 0, "n/a", Style::dim));
  draw_curve(area, bins_of(shown.pipe.fill, shown.now_ns, area), 1, Style::reader);
}

void draw_ring_line(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  draw_figures(area.from_row(0, 1), shown);
  if (area.rows() >= 2) draw_histories(area.from_row(1), shown);
}

void draw_ring_between(const Area& area, const RingShown& shown) {
  if (area.empty()) return;
  int row = 0;
  const auto put_middle = [&](const std::string& text, Ink ink) {
    const int col = std::max(0, (area.cols() - columns_of(text)) / 2);
    area.put_fitted(row++, col, area.cols(), text, ink);
  };
  const Pipe& pipe = shown.pipe;
  if (!pipe.path.empty()) put_middle(pipe.path, Style::mark);
  put_middle(size_text(pipe.capacity), size_ink(shown));
  const int strip_rows = area.rows() >= 10 ? 2 : 1;
  draw_fill(area.part({row, 0, strip_rows, area.cols() - 2}), shown);
  area.put(row, area.cols() - 1, "→", shown.selected ? Style::focus : Style::frame);
  row += strip_rows;
  put_middle(pipe_rate_text(pipe), rate_item(pipe).ink);
  for (const Item& item : {share_item(pipe, "full", &RingLevel::full_share),
                           share_item(pipe, "empty", &RingLevel::empty_share)}) {
    const std::array items = {item};
    const int col = std::max(0, (area.cols() - item.columns()) / 2);
    put_items(area.part({row++, col, 1, area.cols()}), items);
  }
  if (!shown.factor.empty()) put_middle(shown.factor, factor_ink());
  const int left = area.rows() - row;
  if (left < 2) return;
  // The histories, each above its name.
  const bool both = left >= 5;
  const int rate_rows = both ? (left - 1) / 2 : left - 1;
  draw_rates(area.from_row(row, rate_rows), shown);
  area.put(row + rate_rows, 0, "rate", Style::dim);
  if (!both) return;
  row += rate_rows + 1;
  draw_levels(area.from_row(row, area.rows() - row - 1), shown);
  area.put(area.rows() - 1, 0, "used", Style::dim);
}

}  // namespace pipetop::tui

#include "tui/watch/share_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>

#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/state/pipe_words.h"

namespace pipetop::tui {
namespace {

constexpr int kShareCols = 5;  // "100 %"
constexpr int kItemGap = 2;
constexpr int kRoomyLine = 16;           // with a blank between sign and name
constexpr double kAsGoodAsNone = 0.005;  // is 0 %

struct SharePart {
  std::string_view name;
  Style style;
  char32_t glyph, letter;  // the letter where there are no shades
  double share = 0;
};

std::array<SharePart, kShareLines> parts_of(const StageShares& s) {
  const Elsewhere most = elsewhere_of(s);
  const bool named = most.share > 0 && most.rest < kAsGoodAsNone;  // else it is several
  return {{{"on CPU", Style::good, U'█', U'#', s.on_cpu},
           {"runnable", Style::mark, U'▓', U'+', s.runnable},
           {"reading", Style::reader, U'▒', U'r', s.reading},
           {"writing", Style::writer, U'░', U'w', s.writing},
           {named ? name_of(most.wait) : "other", Style::dim, U'·', U'-', most.share + most.rest}}};
}

char32_t glyph_of(const SharePart& part, const Glyphs& glyphs) {
  return glyphs.set == GlyphSet::ascii ? part.letter : part.glyph;
}

Style number_style(double share) { return share < kAsGoodAsNone ? Style::dim : Style::value; }

int item_columns(const SharePart& part) {
  return 2 + columns_of(part.name) + 1 + kShareCols + kItemGap;
}

void put_item(const Area& area, int row, int col, const SharePart& part) {
  area.set(row, col, glyph_of(part, area.glyphs()), part.style);
  Pen pen(area, row, col + 2);
  pen.text(part.name, Style::dim);
  // So that the next one doesn't move.
  const std::string text = whole_percent_text(part.share);
  pen.skip(1 + kShareCols - columns_of(text)).text(text, number_style(part.share));
}

}  // namespace

void draw_share_bar(const Area& area, const StageShares& shares) {
  double sum = 0;
  int col = 0;
  for (const SharePart& part : parts_of(shares)) {
    sum += part.share;
    const int end = std::min(area.cols(), static_cast<int>(std::lround(sum * area.cols())));
    for (; col < end; ++col) area.set(0, col, glyph_of(part, area.glyphs()), part.style);
  }
}

// Those with the largest shares that fit on a row, in their usual order.
void draw_share_items(const Area& area, const StageShares& shares) {
  const auto parts = parts_of(shares);
  std::array<size_t, kShareLines> by_share{};
  std::iota(by_share.begin(), by_share.end(), size_t{0});
  std::ranges::stable_sort(by_share, std::greater(),
                           [&](size_t i) { return std::lround(parts[i].share * 100); });
  std::array<bool, kShareLines> chosen{};
  int room = area.cols() + kItemGap;
  for (const size_t i : by_share) {
    if (item_columns(parts[i]) > room) break;
    room -= item_columns(parts[i]);
    chosen[i] = true;
  }
  int col = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!chosen[i]) continue;
    put_item(area, 0, col, parts[i]);
    col += item_columns(parts[i]);
  }
}

int draw_share_lines(const Area& area, const StageShares& shares) {
  int row = 0;
  for (const SharePart& part : parts_of(shares)) {
    if (row >= area.rows()) break;
    const Area line = area.from_row(row++, 1);
    line.set(0, 0, glyph_of(part, area.glyphs()), part.style);
    const int col = line.cols() >= kRoomyLine ? 2 : 1;
    line.put_fitted(0, col, line.cols() - col - kShareCols, part.name, Style::dim);
    line.put_right(0, whole_percent_text(part.share), number_style(part.share));
  }
  return row;
}

}  // namespace pipetop::tui

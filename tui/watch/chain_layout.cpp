#include "tui/watch/chain_layout.h"

#include <algorithm>
#include <array>

namespace pipetop::tui {
namespace {

using Form = ChainLayout::Form;
using Kind = ChainItem::Kind;

constexpr int kLeastBox = 18, kMostBox = 34;  // columns
constexpr int kLeastBetween = 13, kMostBetween = 42;
constexpr int kLeastAcross = 8, kMostAcross = 13;  // rows
constexpr int kIndent = 2;
constexpr int kMostHolders = 3;

struct Density {
  int stage_rows, ring_rows;
};
// From roomy to tight.
constexpr std::array<Density, 6> kDensities = {{{6, 4}, {5, 3}, {4, 2}, {3, 2}, {3, 1}, {1, 1}}};

struct Counts {
  int stages = 0, rings = 0, holders = 0;
};

Counts count(const Chain& chain) {
  Counts counts;
  for (const ChainItem& item : chain.items)
    ++(item.kind == Kind::stage  ? counts.stages
       : item.kind == Kind::ring ? counts.rings
                                 : counts.holders);
  return counts;
}

// The last one says how many more there are.
int holder_rows(const Counts& counts) { return std::min(counts.holders, kMostHolders); }

int rows_of(const Counts& counts, const Density& density) {
  return counts.stages * density.stage_rows + counts.rings * density.ring_rows +
         holder_rows(counts);
}

bool fits_across(const Chain& chain, const Counts& counts, int rows, int cols) {
  return chain.straight && counts.stages > 0 && rows >= kLeastAcross + holder_rows(counts) &&
         counts.stages * kLeastBox + counts.rings * kLeastBetween <= cols;
}

void place_holders(ChainLayout& layout, const Chain& chain, int row, int rows, int cols) {
  int left = std::min(kMostHolders, rows - row);
  size_t i = chain.nodes();
  for (; i < chain.items.size() && left-- > 0; ++i)
    layout.items.push_back({i, {row++, 0, 1, cols}});
  if (i > chain.nodes() && i < chain.items.size()) layout.holders_left = chain.items.size() - i + 1;
  layout.rows = row;
}

// Boxes get what names need, rings the rest.
ChainLayout across(const Chain& chain, const Counts& counts, int rows, int cols) {
  ChainLayout layout;
  layout.form = Form::across;
  const int height = std::min(rows - holder_rows(counts), kMostAcross);
  const int shared = cols / std::max(1, counts.stages * 3 + counts.rings * 2);
  const int most_box = (cols - counts.rings * kLeastBetween) / counts.stages;
  const int box = std::clamp(std::clamp(shared * 3, kLeastBox, kMostBox), kLeastBox, most_box);
  const int between =
      counts.rings == 0 ? 0 : std::min((cols - counts.stages * box) / counts.rings, kMostBetween);
  int col = 0;
  for (size_t i = 0; i < chain.nodes(); ++i) {
    const bool stage = chain.items[i].kind == Kind::stage;
    const int width = stage ? box : between;
    // One column of air between a box and a ring.
    layout.items.push_back({i, {0, stage ? col : col + 1, height, stage ? width : width - 2}});
    col += width;
  }
  place_holders(layout, chain, height, rows, cols);
  return layout;
}

int height_of(const ChainItem& item, const Density& density) {
  return item.kind == Kind::stage ? density.stage_rows : density.ring_rows;
}

// The last items that can be seen together, if all of `first` to `last` cannot.
size_t first_to_see(const Chain& chain, const Density& density, int rows, size_t last) {
  size_t first = last + 1;
  for (int used = 0; first > 0; --first) {
    used += height_of(chain.items[first - 1], density);
    if (used > rows) break;
  }
  return std::min(first, last);
}

ChainLayout below_each_other(const Chain& chain, const Density& density, int rows, int cols,
                             size_t selected, size_t scroll) {
  ChainLayout layout;
  layout.form = density.stage_rows == 1 ? Form::lines : Form::boxes;
  const size_t nodes = chain.nodes();
  if (nodes > 0) {
    selected = std::min(selected, nodes - 1);
    scroll = std::min({scroll, selected, first_to_see(chain, density, rows, nodes - 1)});
    scroll = std::max(scroll, first_to_see(chain, density, rows, selected));
  }
  layout.scroll = layout.above = std::min(scroll, nodes);
  int row = 0;
  size_t i = layout.scroll;
  for (; i < nodes; ++i) {
    const int height = height_of(chain.items[i], density);
    if (row + height > rows) break;
    const int indent = std::min(chain.items[i].depth * kIndent, cols / 3);
    layout.items.push_back({i, {row, indent, height, cols - indent}});
    row += height;
  }
  layout.below = nodes - i;
  layout.rows = row;
  if (layout.below == 0) place_holders(layout, chain, row, rows, cols);
  return layout;
}

}  // namespace

ChainLayout chain_layout(const Chain& chain, int rows, int cols, size_t selected, size_t scroll) {
  const Counts counts = count(chain);
  if (fits_across(chain, counts, rows, cols)) return across(chain, counts, rows, cols);
  const auto fits = [&](const Density& d) { return rows_of(counts, d) <= rows; };
  const auto density = std::ranges::find_if(kDensities, fits);
  return below_each_other(chain, density == kDensities.end() ? kDensities.back() : *density, rows,
                          cols, selected, scroll);
}

int least_chain_rows(const Chain& chain, int cols) {
  const Counts counts = count(chain);
  if (fits_across(chain, counts, 1 << 20, cols)) return 11 + holder_rows(counts);
  return rows_of(counts, {3, 1});
}

}  // namespace pipetop::tui

#include "tui/widgets/ring_markers.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace pipetop::tui {
namespace {

// Columns that are taken already.
struct Taken {
  int begin = 0, end = 0;
  // One column of air on both sides.
  bool hinders(int from, int to) const { return begin < end && from <= end && to >= begin; }
};

// "▾word" from the cell on, or "word▾" up to it; where neither fits, the word
// alone beside what is there.
Taken put_marker(const Area& area, int cell, const std::string& word, bool word_first,
                 const Taken& taken) {
  const int length = static_cast<int>(word.size());
  cell = std::clamp(cell, 0, area.cols() - 1);
  const auto fits = [&](int from) {
    return from >= 0 && from + length + 1 <= area.cols() && !taken.hinders(from, from + length + 1);
  };
  for (const bool before : {word_first, !word_first}) {
    const int from = before ? cell - length : cell;
    if (!fits(from)) continue;
    area.put(0, from, before ? word + "▾" : "▾" + word, Style::dim);
    return {from, from + length + 1};
  }
  for (const int from : {taken.end + 1, taken.begin - length - 2}) {
    if (!fits(from)) continue;
    area.put(0, from, word, Style::dim);
    return {from, from + length};
  }
  return {};
}

// Returns the column after them.
int draw_ends(const Area& area, const RingFrame& f, const StripLook& look) {
  const std::string tail = fmt::format("tail {}", f.tail % f.slots);
  const std::string head = fmt::format("head {}", f.head % f.slots);
  if (look.scale.lines > 1)  // nothing stands right above most cells
    return area.put(0, area.put(0, 0, tail, Style::dim) + 2, head, Style::dim);
  const auto cell = [&](uint32_t index) {
    return cell_of(look.scale, place_of(f, look.order, index));
  };
  const Taken by_tail = put_marker(area, cell(f.tail), tail, false, {});
  const bool full_from_tail = look.order == StripOrder::from_tail && f.used == f.slots;
  const int head_cell = full_from_tail ? cell_of(look.scale, f.used) : cell(f.head);
  return std::max(by_tail.end, put_marker(area, head_cell, head, true, by_tail).end);
}

}  // namespace

void draw_markers(const Area& area, const RingFrame& f, const StripLook& look) {
  const int end = draw_ends(area, f, look);
  if (look.scale.slots_a_cell == 1) return;
  const std::string scale = fmt::format("{} slots a cell", look.scale.slots_a_cell);
  for (const std::string& text : {scale, fmt::format("{} a cell", look.scale.slots_a_cell)}) {
    if (end + 2 + static_cast<int>(text.size()) > area.cols()) continue;
    area.put_right(0, text, Style::dim);
    return;
  }
}

}  // namespace pipetop::tui

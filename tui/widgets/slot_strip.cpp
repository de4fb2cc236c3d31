#include "tui/widgets/slot_strip.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pipetop::tui {
namespace {

struct KindLook {
  std::string_view name;
  Style style;
  char32_t block;
  char letter, huge_letter;
};

// By SlotKind. Blocks of a different density each, so that they stay apart
// without colour; letters where there are no blocks.
constexpr std::array<KindLook, kSlotKinds> kKinds = {{
    {"empty", Style::frame, U'·', '.', '.'},
    {"copy", Style::copy, U'▒', 'c', 'C'},
    {"user page", Style::user_page, U'█', 'u', 'U'},
    {"page cache", Style::page_cache, U'▓', 'p', 'P'},
    {"zero page", Style::zero_page, U'░', '0', '0'},
    {"other", Style::other_page, U'?', '?', '?'},
}};

const KindLook& look_of(SlotKind kind) { return kKinds[static_cast<size_t>(kind)]; }

// What one cell has to show: the slots of a group, or a part of one slot.
struct CellContent {
  SlotKind kind = SlotKind::empty;
  bool huge = false;
  double fill = 0;  // of the cell, from the left
};

const Slot& slot_at(const RingFrame& frame, uint32_t n) {
  return frame.slot[(frame.tail + n) % frame.slots];
}

// Slots that the engine did not list are not guessed.
SlotKind kind_at(const RingFrame& frame, uint32_t n) {
  if (n >= frame.used) return SlotKind::empty;
  const SlotKind kind = slot_at(frame, n).kind;
  return kind == SlotKind::empty ? SlotKind::other : kind;
}

double fill_of(const Slot& slot) {
  return std::clamp(static_cast<double>(slot.length) / static_cast<double>(kPageBytes), 0.0, 1.0);
}

CellContent part_of_slot(const RingFrame& frame, const StripScale& scale, uint32_t n, int part) {
  CellContent content{kind_at(frame, n)};
  if (content.kind == SlotKind::empty) return content;
  const Slot& slot = slot_at(frame, n);
  content.huge = slot.huge;
  content.fill = std::clamp(fill_of(slot) * scale.cells_a_slot - part, 0.0, 1.0);
  if (content.fill <= 0 && part > 0) return {};
  return content;
}

// Of several slots the kind that most of them have.
CellContent group(const RingFrame& frame, const StripScale& scale, uint32_t first) {
  std::array<int, kSlotKinds> count{};
  CellContent content;
  int huge = 0;
  const uint32_t end = std::min(first + static_cast<uint32_t>(scale.slots_a_cell), frame.slots);
  for (uint32_t n = first; n < end; ++n) {
    const SlotKind kind = kind_at(frame, n);
    if (kind == SlotKind::empty) continue;
    ++count[static_cast<size_t>(kind)];
    huge += slot_at(frame, n).huge;
    content.fill += fill_of(slot_at(frame, n)) / scale.slots_a_cell;
  }
  const auto most = std::ranges::max_element(count);
  if (*most > 0) content.kind = static_cast<SlotKind>(most - count.begin());
  content.huge = huge * 2 > static_cast<int>(end - first);
  return content;
}

CellContent content_of(const RingFrame& frame, const StripScale& scale, int cell) {
  if (scale.slots_a_cell > 1)
    return group(frame, scale, static_cast<uint32_t>(cell * scale.slots_a_cell));
  return part_of_slot(frame, scale, static_cast<uint32_t>(cell / scale.cells_a_slot),
                      cell % scale.cells_a_slot);
}

char32_t glyph_of(const CellContent& content, const Glyphs& glyphs) {
  if (content.kind == SlotKind::empty || content.fill > 0.94 || glyphs.set == GlyphSet::ascii)
    return glyph_of(content.kind, content.huge, glyphs);
  const auto eighths = static_cast<size_t>(std::clamp(std::lround(content.fill * 8), 1l, 8l));
  return glyphs.filling[eighths];
}

}  // namespace

Style style_of(SlotKind kind) { return look_of(kind).style; }
std::string_view name_of(SlotKind kind) { return look_of(kind).name; }

char32_t glyph_of(SlotKind kind, bool huge, const Glyphs& glyphs) {
  const KindLook& look = look_of(kind);
  if (glyphs.set != GlyphSet::ascii) return look.block;
  return static_cast<char32_t>(huge ? look.huge_letter : look.letter);
}

StripScale strip_scale(uint32_t slots, int cols, int max_lines) {
  StripScale scale;
  const int n = static_cast<int>(slots);
  if (n <= 0 || cols <= 0) return scale;
  if (n <= cols) {
    scale.cells_a_slot = std::min(cols / n, 8);
    scale.cells_a_line = scale.cells_a_slot * n;
    return scale;
  }
  // Lines of a power of two slots, so that their ends mean something.
  const int room = cols * std::max(max_lines, 1);
  while (n > scale.slots_a_cell * room) scale.slots_a_cell *= 2;
  const int cells = (n + scale.slots_a_cell - 1) / scale.slots_a_cell;
  scale.lines = (cells + cols - 1) / cols;
  scale.cells_a_line = (cells + scale.lines - 1) / scale.lines;
  return scale;
}

int cell_of(const StripScale& scale, uint32_t n) {
  return static_cast<int>(n) * scale.cells_a_slot / scale.slots_a_cell;
}

void draw_strip(const Area& area, const RingFrame& frame, const StripScale& scale, int thickness,
                bool underline) {
  if (frame.slots == 0 || frame.slot.size() < frame.slots || scale.cells_a_line == 0) return;
  const int cells = (cell_of(scale, frame.slots - 1) + scale.cells_a_slot);
  const int line_rows = thickness + (underline ? 1 : 0);
  for (int cell = 0; cell < cells; ++cell) {
    const CellContent content = content_of(frame, scale, cell);
    const int row = cell / scale.cells_a_line * line_rows;
    const int col = cell % scale.cells_a_line;
    const Style style = frame.torn ? Style::dim : style_of(content.kind);
    const char32_t glyph = glyph_of(content, area.glyphs());
    for (int i = 0; i < thickness; ++i) area.set(row + i, col, glyph, style);
    if (underline && content.huge) area.set(row + thickness, col, area.glyphs().under_huge, style);
  }
}

}  // namespace pipetop::tui

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
  bool huge = false, filled = false, freed = false, selected = false;
  double fill = 0;  // of the cell, from the left
};

const Slot& slot_at(const RingFrame& frame, uint32_t index) { return frame.slot[index]; }

double fill_of(const Slot& slot) {
  return std::clamp(static_cast<double>(slot.length) / static_cast<double>(kPageBytes), 0.0, 1.0);
}

// What is the same for a whole slot.
void add_marks(CellContent& content, const StripLook& look, uint32_t index) {
  if (look.selected == index) content.selected = true;
  if (!look.trail) return;
  content.filled |= look.trail->filled(index);
  content.freed |= look.trail->freed(index);
}

CellContent part_of_slot(const RingFrame& frame, const StripLook& look, uint32_t place, int part) {
  const uint32_t index = index_of(frame, look.order, place);
  CellContent content{kind_at(frame, index)};
  add_marks(content, look, index);
  if (content.kind == SlotKind::empty) return content;
  const Slot& slot = slot_at(frame, index);
  content.huge = slot.huge;
  content.fill = std::clamp(fill_of(slot) * look.scale.cells_a_slot - part, 0.0, 1.0);
  if (content.fill <= 0 && part > 0) content.kind = SlotKind::empty;
  return content;
}

// Of several slots the kind that most of them have.
CellContent group(const RingFrame& frame, const StripLook& look, uint32_t first) {
  std::array<int, kSlotKinds> count{};
  CellContent content;
  int huge = 0;
  const auto size = static_cast<uint32_t>(look.scale.slots_a_cell);
  const uint32_t end = std::min(first + size, frame.slots);
  for (uint32_t place = first; place < end; ++place) {
    const uint32_t index = index_of(frame, look.order, place);
    const SlotKind kind = kind_at(frame, index);
    add_marks(content, look, index);
    if (kind == SlotKind::empty) continue;
    ++count[static_cast<size_t>(kind)];
    huge += slot_at(frame, index).huge;
    content.fill += fill_of(slot_at(frame, index)) / size;
  }
  const auto most = std::ranges::max_element(count);
  if (*most > 0) content.kind = static_cast<SlotKind>(most - count.begin());
  content.huge = huge * 2 > static_cast<int>(end - first);
  return content;
}

CellContent content_of(const RingFrame& frame, const StripLook& look, int cell) {
  const StripScale& scale = look.scale;
  if (scale.slots_a_cell > 1)
    return group(frame, look, static_cast<uint32_t>(cell * scale.slots_a_cell));
  return part_of_slot(frame, look, static_cast<uint32_t>(cell / scale.cells_a_slot),
                      cell % scale.cells_a_slot);
}

// A block in reverse would be a hole: what is selected shows its letter.
char32_t glyph_of(const CellContent& content, const Glyphs& glyphs) {
  if (content.kind == SlotKind::empty && content.freed) return U'-';
  const KindLook& kind = look_of(content.kind);
  if (content.selected) return static_cast<char32_t>(content.huge ? kind.huge_letter : kind.letter);
  if (content.kind == SlotKind::empty || content.fill > 0.94 || glyphs.set == GlyphSet::ascii)
    return glyph_of(content.kind, content.huge, glyphs);
  const auto eighths = static_cast<size_t>(std::clamp(std::lround(content.fill * 8), 1l, 8l));
  return glyphs.filling[eighths];
}

Ink ink_of(const CellContent& content, const StripLook& look) {
  const bool gone = content.kind == SlotKind::empty && content.freed;
  Ink ink = look.dim ? Style::dim : gone ? Style::warning : style_of(content.kind);
  if (content.filled) ink.emphasis |= kBold;
  if (content.selected) ink.emphasis |= kReverse;
  return ink;
}

// What happened to the slot, else whether it lies in a huge page.
void draw_under(const Area& area, int row, int col, const CellContent& content, bool dim) {
  if (content.filled) {
    area.set(row, col, U'+', Style::good);
  } else if (content.huge) {
    area.set(row, col, area.glyphs().under_huge, dim ? Style::dim : style_of(content.kind));
  }
}

}  // namespace

uint32_t index_of(const RingFrame& frame, StripOrder order, uint32_t place) {
  return (order == StripOrder::from_tail ? frame.tail + place : place) % frame.slots;
}

uint32_t place_of(const RingFrame& frame, StripOrder order, uint32_t index) {
  if (order == StripOrder::by_index) return index % frame.slots;
  return (index + frame.slots - frame.tail % frame.slots) % frame.slots;
}

bool is_used(const RingFrame& frame, uint32_t index) {
  return place_of(frame, StripOrder::from_tail, index) < frame.used;
}

SlotKind kind_at(const RingFrame& frame, uint32_t index) {
  if (!is_used(frame, index)) return SlotKind::empty;
  const SlotKind kind = slot_at(frame, index).kind;
  return kind == SlotKind::empty ? SlotKind::other : kind;
}

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
  const int room = cols * std::max(max_lines, 1);
  while (n > scale.slots_a_cell * room) scale.slots_a_cell *= 2;
  const int cells = (n + scale.slots_a_cell - 1) / scale.slots_a_cell;
  scale.lines = (cells + cols - 1) / cols;
  // Lines of equal length, and of whole eights where that fits.
  const int equal = (cells + scale.lines - 1) / scale.lines;
  const int eights = (equal + 7) / 8 * 8;
  scale.cells_a_line = eights <= cols ? eights : equal;
  return scale;
}

int cell_of(const StripScale& scale, uint32_t n) {
  return static_cast<int>(n) * scale.cells_a_slot / scale.slots_a_cell;
}

void draw_strip(const Area& area, const RingFrame& frame, const StripLook& look) {
  const StripScale& scale = look.scale;
  if (frame.torn || frame.slots == 0 || frame.slot.size() < frame.slots || scale.cells_a_line == 0)
    return;
  const int cells = cell_of(scale, frame.slots - 1) + scale.cells_a_slot;
  for (int cell = 0; cell < cells; ++cell) {
    const CellContent content = content_of(frame, look, cell);
    const int row = cell / scale.cells_a_line * look.line_rows();
    const int col = cell % scale.cells_a_line;
    const Ink ink = ink_of(content, look);
    const char32_t glyph = glyph_of(content, area.glyphs());
    for (int i = 0; i < look.thickness; ++i) area.set(row + i, col, glyph, ink);
    if (look.underline) draw_under(area, row + look.thickness, col, content, look.dim);
  }
}

std::optional<uint32_t> slot_under(const RingFrame& frame, const StripLook& look, int row,
                                   int col) {
  const StripScale& scale = look.scale;
  if (frame.slots == 0 || row < 0 || row >= look.rows() || col < 0 || col >= scale.cells_a_line)
    return std::nullopt;
  const int cell = row / look.line_rows() * scale.cells_a_line + col;
  const auto place = static_cast<uint32_t>(cell / scale.cells_a_slot * scale.slots_a_cell);
  if (place >= frame.slots) return std::nullopt;
  return index_of(frame, look.order, place);
}

}  // namespace pipetop::tui

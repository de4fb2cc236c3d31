#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tui/draw/numbers.h"
#include "tui/draw/style.h"
#include "tui/draw/text.h"
#include "tui/widgets/ring.h"

namespace pipetop::tui {
namespace {

struct KindStyle {
  SlotKind kind;
  std::string_view name;
  Style style;
  char32_t block;
  char letter, huge_letter;
  std::string_view meaning;
};

// Blocks of different densities, so that they are distinguishable without colour;
// letters if there are no blocks.
constexpr std::array<KindStyle, kSlotKinds> kKinds = {{
    {SlotKind::empty, "empty", Style::frame, U'·', '.', '.', "free: the writer may fill it"},
    {SlotKind::copy, "copy", Style::copy, U'▒', 'c', 'C',
     "copied into the pipe's own page, by write() or a splice that cannot lend"},
    {SlotKind::user_page, "user page", Style::user_page, U'█', 'u', 'U',
     "the writer's page, lent by vmsplice: nothing was copied into the pipe"},
    {SlotKind::page_cache, "page cache", Style::page_cache, U'▓', 'p', 'P',
     "a file's cached page, lent by splice: nothing was copied into the pipe"},
    {SlotKind::zero_page, "zero page", Style::zero_page, U'░', '0', '0',
     "the kernel's zero page, lent for every slot"},
    {SlotKind::other, "other", Style::other_page, U'?', '?', '?',
     "of a kind that pipetop does not know"},
}};
static_assert(in_order(kKinds, &KindStyle::kind));

const KindStyle& kind_style(SlotKind kind) { return kKinds[static_cast<size_t>(kind)]; }

// What one cell shows: a group of slots, or a part of one slot.
struct CellContent {
  SlotKind kind = SlotKind::empty;
  bool huge = false, filled = false, freed = false, selected = false, rewritten = false;
  double fill = 0;  // of the cell, from the left
};

double fill_of(const Slot& slot) {
  return std::clamp(static_cast<double>(slot.length) / static_cast<double>(kPageBytes), 0.0, 1.0);
}

// What is constant for a whole slot.
void add_marks(CellContent& content, const StripStyle& view, uint32_t index) {
  if (view.selected == index) content.selected = true;
  if (!view.trail) return;
  content.filled |= view.trail->filled(index);
  content.freed |= view.trail->freed(index);
}

// Each slot by itself, if there is room.
bool is_gap(const StripScale& scale, int cell) {
  return scale.cells_a_slot > 1 && cell % scale.cells_a_slot + 1 == scale.cells_a_slot;
}

CellContent part_of_slot(const RingFrame& frame, const StripStyle& view, uint32_t place, int part) {
  const uint32_t index = index_of(frame, view.order, place);
  CellContent content{kind_at(frame, index)};
  add_marks(content, view, index);
  if (content.kind == SlotKind::empty) return content;
  const Slot& slot = frame.slot[index];
  content.huge = slot.huge;
  content.rewritten = slot.rewritten;
  const int cells = std::max(view.scale.cells_a_slot - 1, 1);
  content.fill = std::clamp(fill_of(slot) * cells - part, 0.0, 1.0);
  if (content.fill <= 0 && part > 0) content.kind = SlotKind::empty;
  return content;
}

// The most frequent kind of several slots.
CellContent group(const RingFrame& frame, const StripStyle& view, uint32_t first) {
  std::array<int, kSlotKinds> count{};
  CellContent content;
  int huge = 0;
  const auto size = static_cast<uint32_t>(view.scale.slots_a_cell);
  const uint32_t end = std::min(first + size, frame.slots);
  for (uint32_t place = first; place < end; ++place) {
    const uint32_t index = index_of(frame, view.order, place);
    const SlotKind kind = kind_at(frame, index);
    add_marks(content, view, index);
    if (kind == SlotKind::empty) continue;
    ++count[static_cast<size_t>(kind)];
    huge += frame.slot[index].huge;
    content.rewritten |= frame.slot[index].rewritten;
    content.fill += fill_of(frame.slot[index]) / size;
  }
  const auto most = std::ranges::max_element(count);
  if (*most > 0) content.kind = static_cast<SlotKind>(most - count.begin());
  content.huge = huge * 2 > static_cast<int>(end - first);
  return content;
}

CellContent content_of(const RingFrame& frame, const StripStyle& view, int cell) {
  const StripScale& scale = view.scale;
  if (scale.slots_a_cell > 1)
    return group(frame, view, static_cast<uint32_t>(cell * scale.slots_a_cell));
  return part_of_slot(frame, view, static_cast<uint32_t>(cell / scale.cells_a_slot),
                      cell % scale.cells_a_slot);
}

// A block in reverse video would appear as a hole: the selection shows its letter.
char32_t glyph_of(const CellContent& content, const Glyphs& glyphs) {
  if (content.kind == SlotKind::empty && content.freed) return U'-';
  const KindStyle& kind = kind_style(content.kind);
  if (content.rewritten && content.kind != SlotKind::empty && !content.selected)
    return rewritten_glyph(glyphs);
  if (content.selected) return static_cast<char32_t>(content.huge ? kind.huge_letter : kind.letter);
  if (content.kind == SlotKind::empty || content.fill > 0.94 || glyphs.set == GlyphSet::ascii)
    return glyph_of(content.kind, content.huge, glyphs);
  const auto eighths = static_cast<size_t>(std::clamp(std::lround(content.fill * 8), 1l, 8l));
  return glyphs.filling[eighths];
}

Ink ink_of(const CellContent& content, const StripStyle& view) {
  const bool gone = content.kind == SlotKind::empty && content.freed;
  const bool wrong = content.kind != SlotKind::empty && content.rewritten;
  Ink ink = view.dim ? Style::dim
            : wrong  ? Style::error
            : gone   ? Style::warning
                     : style_of(content.kind);
  if (content.filled) ink.emphasis |= kBold;
  if (content.selected) ink.emphasis |= kReverse;
  return ink;
}

// What happened to the slot, else whether it is in a huge page.
void draw_under(const Area& area, int row, int col, const CellContent& content, bool dim) {
  if (content.filled) {
    area.set(row, col, U'+', Style::good);
  } else if (content.huge) {
    area.set(row, col, area.glyphs().under_huge, dim ? Style::dim : style_of(content.kind));
  }
}

// From not at all to nearly always.
constexpr std::array<double, 5> kGlowsFrom = {0, 0.01, 0.2, 0.5, 0.75};
constexpr size_t kGlows = kGlowsFrom.size();

size_t glow_of(double share) {
  size_t glow = 0;
  while (glow + 1 < kGlows && share >= kGlowsFrom[glow + 1]) ++glow;
  return glow;
}

// The kind is told by its colour: its own block may be one of the shades. ASCII has letters.
char32_t glow_glyph(size_t glow, const UsualSlot& usual, const Glyphs& glyphs) {
  if (glow == 0) return glyph_of(SlotKind::empty, false, glyphs);
  const bool letter = glow == kGlows - 1 && glyphs.set == GlyphSet::ascii;
  return letter ? glyph_of(usual.kind, usual.huge, glyphs) : glyphs.shade[glow];
}

// Calls draw(cell, row, col) for each cell of a strip.
template <class Draw>
void each_cell(uint32_t slots, const StripStyle& view, Draw draw) {
  const StripScale& scale = view.scale;
  if (slots == 0 || scale.cells_a_line == 0) return;
  const int cells = cell_of(scale, slots - 1) + scale.cells_a_slot;
  for (int cell = 0; cell < cells; ++cell)
    draw(cell, cell / scale.cells_a_line * view.line_rows(), cell % scale.cells_a_line);
}

// Columns that are taken already.
struct Taken {
  int begin = 0, end = 0;
  // One column of air on both sides.
  bool hinders(int from, int to) const { return begin < end && from <= end && to >= begin; }
};

// "▾word" starting at the cell, or "word▾" ending there; if neither fits, the word
// alone next to what is there.
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
int draw_ends(const Area& area, const RingFrame& f, const StripStyle& view) {
  const std::string tail = fmt::format("tail {}", f.tail % f.slots);
  const std::string head = fmt::format("head {}", f.head % f.slots);
  if (view.scale.lines > 1)  // nothing is right above most cells
    return area.put(0, area.put(0, 0, tail, Style::dim) + 2, head, Style::dim);
  const auto cell = [&](uint32_t index) {
    return cell_of(view.scale, place_of(f, view.order, index));
  };
  const Taken by_tail = put_marker(area, cell(f.tail), tail, false, {});
  const bool full_from_tail = view.order == StripOrder::from_tail && f.used == f.slots;
  const int head_cell = full_from_tail ? cell_of(view.scale, f.used) : cell(f.head);
  return std::max(by_tail.end, put_marker(area, head_cell, head, true, by_tail).end);
}

struct Flag {
  uint32_t bit;
  std::string_view name, meaning;
};

// PIPE_BUF_FLAG_* of include/linux/pipe_fs_i.h, the same since 5.8.
constexpr std::array<Flag, 7> kFlags = {{
    {0x01, "LRU", "the page is on the kernel's LRU list"},
    {0x02, "ATOMIC", "the page was mapped atomically"},
    {0x04, "GIFT", "given away: the reader may keep the page"},
    {0x08, "PACKET", "one packet: a read stops at its end"},
    {0x10, "CAN_MERGE", "the next write may append to this page"},
    {0x20, "WHOLE", "a read takes all of it or fails"},
    {0x40, "LOSS", "messages were lost after it"},
}};

std::string ordinal(uint32_t n) {
  constexpr std::array kEndings = {"th", "st", "nd", "rd"};
  const uint32_t tens = n % 100 / 10, ones = n % 10;
  return grouped_text(n) + kEndings[tens == 1 || ones > 3 ? 0 : ones];
}

// Its position between the ends.
std::string position_text(const RingFrame& f, uint32_t place) {
  if (place == 0)
    return f.used == 0 ? "tail and head: the ring is empty" : "at the tail: read next";
  if (place == f.used) return "at the head: filled next";
  std::string text = ordinal(place + 1) + " from the tail";
  if (place + 1 == f.used) text += ", the newest";
  return text;
}

std::vector<Item> what_it_is(const Slot& slot, SlotKind kind) {
  std::vector<Item> items = {{{}, std::string(name_of(kind)), {}, {style_of(kind), kBold}}};
  if (kind == SlotKind::empty) return items;
  items.push_back({"offset", grouped_text(slot.offset), {}, Style::value});
  const double fill = static_cast<double>(slot.length) / static_cast<double>(kPageBytes);
  items.push_back({"length", grouped_text(slot.length), fmt::format("{:.0f} %", fill * 100)});
  if (slot.huge) items.push_back({{}, "huge", {}, Style::plain});
  if (slot.consecutive) items.push_back({{}, "follows its neighbour", {}, Style::plain});
  items.push_back({"flags", flags_text(slot.flags), {}, Style::value});
  return items;
}

// Kind, then page, then flags, in sentences.
std::string description(const Slot& slot, SlotKind kind) {
  std::string text(meaning_of(kind));
  if (kind == SlotKind::empty) return text;
  if (slot.rewritten)
    text = "the writer has rewritten this page: it no longer holds what was sent; " + text;
  if (slot.huge) text += "; in a huge page or large folio";
  if (slot.consecutive) text += "; right after the previous slot's page in memory";
  for (const Flag& flag : kFlags) {
    if (slot.flags & flag.bit) text += fmt::format("; {}: {}", flag.name, flag.meaning);
  }
  return text;
}

}  // namespace

Style style_of(SlotKind kind) { return kind_style(kind).style; }
std::string_view name_of(SlotKind kind) { return kind_style(kind).name; }
std::string_view meaning_of(SlotKind kind) { return kind_style(kind).meaning; }

char32_t glyph_of(SlotKind kind, bool huge, const Glyphs& glyphs) {
  const KindStyle& style = kind_style(kind);
  if (glyphs.set != GlyphSet::ascii) return style.block;
  return static_cast<char32_t>(huge ? style.huge_letter : style.letter);
}

char32_t rewritten_glyph(const Glyphs& glyphs) {
  return glyphs.set == GlyphSet::unicode ? U'╳' : U'X';
}

UsualSlot usual_slot(const Reading<KindShares>& kinds, bool huge) {
  if (!kinds.has_value()) return {SlotKind::copy, false};
  const auto most = std::max_element(kinds->begin() + 1, kinds->end());
  const auto kind = static_cast<SlotKind>(most - kinds->begin());
  return {kind, kind != SlotKind::copy && huge};
}

void draw_strip(const Area& area, const RingFrame& frame, const StripStyle& view) {
  if (frame.torn || frame.slot.size() < frame.slots) return;
  each_cell(frame.slots, view, [&](int cell, int row, int col) {
    if (is_gap(view.scale, cell)) return;
    const CellContent content = content_of(frame, view, cell);
    const Ink ink = ink_of(content, view);
    const char32_t glyph = glyph_of(content, area.glyphs());
    for (int i = 0; i < view.thickness; ++i) area.set(row + i, col, glyph, ink);
    if (view.underline) draw_under(area, row + view.thickness, col, content, view.dim);
  });
}

void draw_glows(Pen& pen, const Area& area, const UsualSlot& usual) {
  constexpr std::array<std::string_view, kGlows> kWords = {"", "rarely", "20 %", "50 %",
                                                           "75 % of the time"};
  for (size_t glow = 1; glow < kGlows; ++glow) {
    if (pen.room() < columns_of(kWords[glow]) + 3) return;
    area.set(0, pen.col(), glow_glyph(glow, usual, area.glyphs()),
             {style_of(usual.kind), glow == kGlows - 1 ? kBold : kNone});
    pen.skip(2).text(kWords[glow], Style::dim).skip(2);
  }
}

void draw_settled_strip(const Area& area, uint32_t slots, const StripStyle& view,
                        const Occupancy& occupancy, const UsualSlot& usual) {
  const StripScale& scale = view.scale;
  each_cell(slots, view, [&](int cell, int row, int col) {
    if (is_gap(scale, cell)) return;
    const auto place = static_cast<uint32_t>(cell / scale.cells_a_slot * scale.slots_a_cell);
    const size_t glow = glow_of(used_share(occupancy, slots, place));
    const Ink ink = glow == 0 ? Ink(Style::frame)
                              : Ink(style_of(usual.kind), glow == kGlows - 1 ? kBold : kNone);
    const char32_t glyph = glow_glyph(glow, usual, area.glyphs());
    for (int i = 0; i < view.thickness; ++i) area.set(row + i, col, glyph, ink);
    if (view.underline && usual.huge && glow > 0)
      area.set(row + view.thickness, col, area.glyphs().under_huge, ink);
  });
}

void draw_markers(const Area& area, const RingFrame& f, const StripStyle& view) {
  const int end = draw_ends(area, f, view);
  if (view.scale.slots_a_cell == 1) return;
  const std::string scale = fmt::format("{} slots per cell", view.scale.slots_a_cell);
  for (const std::string& text : {scale, fmt::format("{}/cell", view.scale.slots_a_cell)}) {
    if (end + 2 + static_cast<int>(text.size()) > area.cols()) continue;
    area.put_right(0, text, Style::dim);
    return;
  }
}

std::string flags_text(uint32_t flags) {
  std::vector<std::string> names;
  for (const Flag& flag : kFlags) {
    if (flags & flag.bit) names.emplace_back(flag.name);
    flags &= ~flag.bit;
  }
  if (flags != 0) names.push_back(fmt::format("{:#x}", flags));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " "));
}

int draw_slot_detail(const Area& area, const RingFrame& frame, uint32_t index) {
  index %= frame.slots;
  const SlotKind kind = kind_at(frame, index);
  const Slot& slot = frame.slot[index];
  const uint32_t place = place_of(frame, StripOrder::from_tail, index);
  const Item first[] = {{"slot", fmt::format("{} of {}", index, frame.slots), {}, Style::value},
                        {{}, position_text(frame, place), {}, Style::plain}};
  int row = put_items(area, first);
  row += put_items(area.from_row(row), what_it_is(slot, kind));
  return row + wrap(area.from_row(row), description(slot, kind), Style::dim);
}

}  // namespace pipetop::tui

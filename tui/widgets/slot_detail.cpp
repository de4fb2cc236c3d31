#include "tui/widgets/slot_detail.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "tui/draw/numbers.h"
#include "tui/draw/pen.h"
#include "tui/widgets/slot_strip.h"

namespace pipetop::tui {
namespace {

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
  const uint32_t tens = n % 100 / 10, one = n % 10;
  const std::string_view end = tens == 1  ? "th"
                               : one == 1 ? "st"
                               : one == 2 ? "nd"
                               : one == 3 ? "rd"
                                          : "th";
  return grouped_text(n) + std::string(end);
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

std::vector<Item> first_items(const RingFrame& f, uint32_t index, uint32_t place) {
  return {{"slot", fmt::format("{} of {}", index, f.slots), {}, Style::value},
          {{}, position_text(f, place), {}, Style::plain}};
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
  if (slot.huge) text += "; in a huge page or large folio";
  if (slot.consecutive) text += "; right after the previous slot's page in memory";
  for (const Flag& flag : kFlags) {
    if (slot.flags & flag.bit) text += fmt::format("; {}: {}", flag.name, flag.meaning);
  }
  return text;
}

}  // namespace

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
  int row = flow(area, first_items(frame, index, place));
  row += flow(area.from_row(row), what_it_is(slot, kind));
  return row + wrap(area.from_row(row), description(slot, kind), Style::dim);
}

}  // namespace pipetop::tui

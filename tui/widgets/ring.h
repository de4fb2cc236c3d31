// The ring panel and its pieces: every slot now, one in detail, and how full over time.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/reading.h"
#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/text.h"
#include "tui/widgets/curve.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {

// The result of checking stamped pages: the share of wrong ones now, if there are any; else past
// damage; else the number of good pages; or why it is unknown. Empty while none are stamped.
TitlePart integrity_title(const Reading<Integrity>& integrity, Payload payload);

std::vector<TitlePart> ring_title(const Snapshot& snapshot);

// Shares of the used slots, by SlotKind.
using KindShares = std::array<double, kSlotKinds>;

// Whether the verdict is shown in full in the panel, or in the message line.
enum class VerdictAt : uint8_t { ring, message };
// What the rest of the screen says.
struct RingSaid {
  bool remedy_said = false;  // the remedy for missing slots
  VerdictAt verdict = VerdictAt::ring;
};

void draw_ring(const Area& area, const Snapshot& snapshot, const RingState& state,
               RingSaid said = {});

// The panel of any ring, whoever made it.
struct RingPanel {
  const RingReadings& ring;
  const RingState& state;
  uint64_t now_ns = 0;
  Pace pace = Pace::normal;
  bool settled = false;                           // how its slots are used over time is shown
  bool huge = false;                              // of a settled ring: most pages are
  std::vector<std::vector<Item>> facts = {};      // rows above the slots
  std::function<void(const Area&)> picture = {};  // draws what is below them
  bool remedy_said = false;                       // for missing slots
};
void draw_ring(const Area& area, const RingPanel& panel);

// The slots as a strip of cells: the oldest full one (the tail) first, so that the strip
// does not move while the ring turns; or by index, so that one can see the ends move.
// Never a torn frame: its slots are inconsistent.
void draw_strip(const Area& area, const RingFrame& frame, const StripStyle& view);

// What most slots are, over time.
struct UsualSlot {
  SlotKind kind = SlotKind::other;
  bool huge = false;
};
// `huge`: most pages that were not copied are in huge ones.
UsualSlot usual_slot(const Reading<KindShares>& kinds, bool huge);

// The same strip over time, of a ring that turns too fast for an eye, as an oscilloscope's
// phosphor: a slot of the usual kind glows by how much of the time one is used at this place from
// the tail.
void draw_settled_strip(const Area& area, uint32_t slots, const StripStyle& view,
                        const Occupancy& occupancy, const UsualSlot& usual);

// What each brightness means.
void draw_glows(Pen& pen, const Area& area, const UsualSlot& usual);

// Above the strip: labels that point at the cells of tail and head, and the scale
// if a cell is several slots.
void draw_markers(const Area& area, const RingFrame& frame, const StripStyle& view);

Style style_of(SlotKind kind);
char32_t glyph_of(SlotKind kind, bool huge, const Glyphs& glyphs);
char32_t rewritten_glyph(const Glyphs& glyphs);
std::string_view name_of(SlotKind kind);  // "user page"
// For someone who does not know the kind.
std::string_view meaning_of(SlotKind kind);

// "GIFT CAN_MERGE 0x100": the kernel's names, numbers for unknown flags; "none" for
// 0.
std::string flags_text(uint32_t flags);

// `index`: in the ring. Returns the rows used.
int draw_slot_detail(const Area& area, const RingFrame& frame, uint32_t index);

// How full the ring was over time, as a histogram from left to right, with its numbers;
// one row or more.
void draw_occupancy(const Area& area, const Reading<Occupancy>& occupancy);

// From bottom to top, for use beside a heat map.
void draw_occupancy_bars(const Area& area, const Reading<Occupancy>& occupancy);

// Bins distributed over this many rows, lowest first: empty and full keep their own
// row, the bins in between share the others evenly. At least 3 rows.
void fold_bins(std::span<const double, kOccupancyBins> bins, std::span<double> rows);
// More rows would show nothing more.
inline constexpr int kMostOccupancyRows = kOccupancyBins;

// 0: no samples; up to 4: at least half of the samples.
int heat_level(double share);

// The same over time: time to the right, empty at the bottom, full at the top, shaded by the
// share of samples. The last row is the axis, with the keys of changes; there is a legend if there
// are enough rows. Returns the rows of the map itself.
int draw_heat_map(const Area& area, const OccupancyHistory& history,
                  std::span<const ChangeMark> marks, uint64_t now_ns, TimeSpan span);

}  // namespace pipetop::tui

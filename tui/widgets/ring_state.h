// The ring's panel: the user's choices, what it remembers from earlier frames, and the positions of
// its slots and other parts: arithmetic only, shared by drawing, clicks and keys.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/draw/numbers.h"

namespace pipetop::tui {

// Which slots were recently filled and freed, from one ring frame to the next:
// shows the movement in slow motion.
class SlotTrail {
 public:
  // Takes each frame; a repeated one changes nothing, a ring of another size starts
  // over. Torn frames are ignored.
  void update(const RingFrame& frame);
  void clear() { last_ = {}; }

  // Shortly before the last frame; by index in the ring.
  bool filled(uint32_t index) const { return recent(filled_ns_, index); }
  bool freed(uint32_t index) const { return recent(freed_ns_, index); }

 private:
  bool recent(const std::vector<uint64_t>& at_ns, uint32_t index) const;
  void mark(std::vector<uint64_t>& at_ns, uint32_t from, uint32_t to);

  struct Ends {
    uint64_t at_ns = 0;
    uint32_t slots = 0, head = 0, tail = 0;
  };
  Ends last_;
  std::vector<uint64_t> filled_ns_, freed_ns_;  // by index; 0: not seen
};

// How often the ring turns over. One that turns more than ten times a second has other slots in
// every frame: a strip of them would only flicker.
class RingTempo {
 public:
  // Takes each frame; repeated and torn ones change nothing.
  void update(const RingFrame& frame);

  // Does not change back at once: the tempo must fall to half for that.
  bool fast() const { return fast_; }

  // Wheels that an eye can follow: the head has made so many turns, each of which stands for
  // `slowed` of them, a power of ten.
  double turns() const { return turns_; }
  double slowed() const { return slowed_; }

 private:
  void turn(double turns, double seconds);

  uint64_t at_ns_ = 0;
  uint32_t slots_ = 0, head_ = 0;
  bool fast_ = false;
  double turns_ = 0, slowed_ = 1;
};

// Holds the last complete ring frame, to be shown instead of torn ones: what is
// drawn was correct, and does not flicker.
class WholeFrames {
 public:
  // Replaces a torn frame with the last complete one of the same ring size, if any; if that is not
  // recent, the reading is stale. Keeps complete ones.
  void replace_torn(RingReadings& ring);

 private:
  RingFrame last_;
};

// The readings of a ring of others, from one sample to the next: its last whole frame, and how full
// it was, and of what, within the last seconds.
class RingMemory {
 public:
  // Takes each sample of the pipe. What it says of the last seconds changes twice a second.
  void update(const Pipe& live, uint64_t now_ns);

  const RingReadings& readings() const { return readings_; }
  // Its slots are other ones in every frame: a strip of them would only flicker.
  bool fast() const { return tempo_.fast(); }
  bool usually_huge() const { return usually_huge_; }

 private:
  struct Sample {
    uint64_t at_ns = 0;
    size_t bin = 0;
    double used_share = 0;
    std::array<uint32_t, kSlotKinds> kinds{};
    uint32_t huge = 0;
  };
  void add_sample(const RingFrame& frame);
  void sum_up(uint64_t now_ns);

  RingReadings readings_;
  WholeFrames whole_;
  RingTempo tempo_;
  std::deque<Sample> samples_;  // oldest first
  uint64_t summed_up_ns_ = 0;
  bool usually_huge_ = false;
};

// The chart below the slots.
enum class RingPicture : uint8_t { both, histogram, heat_map };

struct RingState {
  RingPicture picture = RingPicture::both;
  std::optional<uint32_t> inspected;  // a slot, by its index in the ring
  SlotTrail trail;                    // in slow motion
  RingTempo tempo;
  // The strip shows how many slots are used for how much of the time, not one instant.
  bool settled = false;

  // Takes each snapshot that is shown. `held`: the screen stands still.
  void follow(const Snapshot& shown, bool held = false);
};

// How much of the time more than `place` of the ring's slots are used: of what the slot at this
// place from the tail is used.
double used_share(const Occupancy& occupancy, uint32_t slots, uint32_t place);

// The frame, if its slots can be drawn: complete, with every slot, and of the
// ring's current size. Null: absent_slots() says why.
const RingFrame* drawable_frame(const RingReadings& ring);
std::string absent_slots(const RingReadings& ring);
// Whether there is a snapshot of every slot, torn or not.
bool has_slots(const RingReadings& ring);

// How slots map to cells. One of the two ratios is 1.
struct StripScale {
  int cells_a_slot = 1;
  int slots_a_cell = 1;
  int lines = 1;  // of the strip, if one cannot hold all slots
  int cells_a_line = 0;
};

StripScale strip_scale(uint32_t slots, int cols, int max_lines);

// The cell, counted across all lines, in which the n-th slot of the strip begins.
int cell_of(const StripScale& scale, uint32_t n);

enum class StripOrder : uint8_t { from_tail, by_index };

// Converts between positions on the strip and indices in the ring.
uint32_t index_of(const RingFrame& frame, StripOrder order, uint32_t place);
uint32_t place_of(const RingFrame& frame, StripOrder order, uint32_t index);

// Whether the slot is between tail and head.
bool is_used(const RingFrame& frame, uint32_t index);
// A used slot that the engine did not list is `other`.
SlotKind kind_at(const RingFrame& frame, uint32_t index);

struct StripStyle {
  StripScale scale;
  StripOrder order = StripOrder::from_tail;
  int thickness = 1;                 // rows per line
  bool underline = false;            // one more row per line, which marks slots in huge pages
  bool dim = false;                  // it is out of date
  std::optional<uint32_t> selected;  // an index in the ring
  const SlotTrail* trail = nullptr;  // marks what was just filled and freed

  int line_rows() const { return thickness + (underline ? 1 : 0); }
  int rows() const { return scale.lines * line_rows(); }
};

inline constexpr int kLeastHeatRows = 4;  // three shades of full, and the axis

struct RingLayout {
  Rect markers, strip, legend, detail, picture;  // in the panel; empty: left out
  StripStyle strip_style;
};

// With less the verdict is shown elsewhere.
constexpr bool has_verdict_row(int rows) { return rows >= 8; }

// `above`: the rows of the summary, of these.
RingLayout ring_layout(int rows, int cols, uint32_t slots, const RingState& state, Pace pace,
                       int above = 1);

// The slots of a ring where they are drawn.
struct SlotsPlace {
  const RingFrame& frame;
  Rect inside;  // of the ring's panel, on the screen
  RingLayout plan;
};
// Nothing if none can be drawn.
std::optional<SlotsPlace> place_slots(const Rect& inside, const RingReadings& ring,
                                      const RingState& state, Pace pace, int above = 1);

// The index of the slot at a position of the screen, the first one if several share a cell.
std::optional<uint32_t> slot_at(const SlotsPlace& place, int row, int col);

// Where a key leads from a slot, in a strip of this scale: arrows move to its neighbours; PgUp,
// PgDn, up and down by a line of the strip (or a quarter of the ring); Home to the tail, End to the
// newest slot. Nothing for other keys.
std::optional<uint32_t> slot_after(const RingFrame& frame, const StripScale& scale, uint32_t at,
                                   Key key);

// Begins to inspect a slot, at the tail, or ends it. Returns what is said, which may be "".
std::string toggle_inspection(RingState& state, const RingReadings& ring);

// A key of an inspected slot: Esc ends it; others, see slot_after(), move to another slot or, if
// none is inspected, to the tail. False: the key has its usual meaning.
bool press_slots(RingState& state, const std::optional<SlotsPlace>& place, Key key);

}  // namespace pipetop::tui

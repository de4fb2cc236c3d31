// The open pipeline on the screen: what is shown of it, and what is selected.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/model/snapshot.h"
#include "engine/watch/pipeline_spans.h"
#include "tui/draw/keys.h"
#include "tui/screen/screen.h"
#include "tui/watch/chain.h"
#include "tui/watch/chain_items.h"
#include "tui/widgets/held_figures.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/ring_state.h"

namespace pipetop::tui {

// Where the keys go: to the chain, or to the functions or slots of what is selected in it. `whole`:
// these have the whole screen.
enum class PipelineFocus : uint8_t { chain, detail, whole };

struct PipelineState {
  using Shared = std::shared_ptr<const Snapshot>;

  // With held figures; null while nothing is open. It may have no pipeline: that of a command that
  // hasn't made one yet.
  Shared snapshot;
  HeldFigures held;
  Chain chain;
  std::map<PipeId, RingMemory> rings;
  HottestFunctions hottest;
  size_t cpus = 0;  // of the machine
  bool frozen = false;
  bool recorded = false;  // no key changes anything

  PipelineFocus focus = PipelineFocus::chain;
  std::optional<Node> selected;  // nothing until a key or a click: the bottleneck, else the first
  size_t at = 0;                 // its item of the chain
  size_t scroll = 0;
  bool wants_threads = false;  // in place of its functions, of a stage that has several
  ListState functions;         // of the selected stage
  ListChoice choice;
  std::optional<ProcessId> functions_of;
  RingState ring;  // of the selected ring, for its slots in detail

  PageState log;                    // of the segments
  std::optional<KeptSegment> kept;  // A, to compare with
  Reading<Change> since_kept;       // what was changed since A did

  bool has_pipeline() const { return snapshot && snapshot->watched.has_value(); }
  const Pipeline& shown() const { return *snapshot->watched; }
};

// Takes each snapshot that is shown.
void update(PipelineState& state, const PipelineState::Shared& now, uint64_t hold_ns);

// What its figures are compared with: A, else the segment before.
Reference reference_of(const PipelineState& state);

// Whether the list has the threads of the selected stage.
bool lists_threads(const PipelineState& state);

// After each change of what the function list shows.
void refresh_functions(PipelineState& state);

// What is selected; nullptr if it is not of this kind, or there is nothing.
const ChainItem* selected_item(const PipelineState& state);
const Stage* selected_stage(const PipelineState& state);
const Pipe* selected_pipe(const PipelineState& state);

// Whether a key or a click selected it, and it isn't what is shown in the place of one that is
// gone.
bool is_chosen(const PipelineState& state);

void select(PipelineState& state, size_t item);
void move_selection(PipelineState& state, int by);

// For drawing.
StageShown stage_shown(const PipelineState& state, size_t stage);
RingShown ring_shown(const PipelineState& state, size_t pipe);

// The factor of a changed pipe: "×1.7" since its newest change, "…" while measured;
// "" if it was not changed.
std::string factor_of(const Snapshot& snapshot, PipeId pipe);

}  // namespace pipetop::tui

// The screen of `watch`: the user's choices, apart from measurements; how it is drawn; and what the
// user should know now: the line below the table or the pipeline, and the page with all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/pipeline.h"
#include "engine/model/snapshot.h"
#include "tui/screen/screen.h"
#include "tui/watch/interventions.h"
#include "tui/watch/pipeline_state.h"
#include "tui/watch/table.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {

// Where a key has a meaning. The detail has the functions of a stage, or the slots of a ring.
enum WatchPlace : uint8_t { kInTable = 1, kInChain = 2, kInFunctions = 4, kInSlots = 8 };

struct WatchState : ScreenState {
  std::shared_ptr<const Snapshot> shown;  // stays while frozen; null before the first one
  bool in_pipeline = false;               // else in the table
  TableState table;
  PipelineState pipeline;
  bool recorded = false;                // a recording of a pipeline
  const ReplayState* replay = nullptr;  // where it is; null for one moment of it
  std::string command;                  // of `watch -- COMMAND`, whose pipeline it is; "" for none
  std::optional<Prompt> prompt;
  std::optional<Question> question;
  bool leaving = false;         // asks what becomes of the changes
  std::vector<Notice> notices;  // recent ones of the engine, newest last

  WatchPlace place() const {
    if (!in_pipeline) return kInTable;
    if (pipeline.focus == PipelineFocus::chain) return kInChain;
    return selected_stage(pipeline) ? kInFunctions : kInSlots;
  }
};

// The screen's parts; `body` is the table's or the pipeline's.
struct WatchLayout : Frame {
  Rect time_line = {};
};
// The time line is the last row, if there is one.
WatchLayout watch_layout(int rows, int cols, bool time_line = false);

// The whole screen. Below 60x16 it only says what it needs.
void draw(Canvas& canvas, const WatchState& state);

// Only the table or the pipeline.
void draw_watched(Canvas& canvas, const WatchState& state, const Rect& body);
// What the screen is, beside what it shows: " REC ", " 2 CHANGED ".
std::vector<TitlePart> badges_of(const WatchState& state);

// A prompt or a filter being typed; else a key's message; else news of the engine; else what is
// selected; else, in turn, what there is to know.
Message message_of(const WatchState& state);
// All that there is to say now, in the same order.
std::vector<Message> messages_of(const WatchState& state);

// The price of counting bytes exactly; on the screen while it is on.
std::string_view price_of_counting();

}  // namespace pipetop::tui

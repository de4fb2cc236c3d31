#include "tui/watch/watch_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "tui/draw/text.h"
#include "tui/watch/pipeline_view.h"
#include "tui/watch/table_view.h"
#include "tui/watch/watch_bars.h"
#include "tui/watch/watch_controller.h"
#include "tui/watch/watch_messages.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

constexpr ScreenKey kWords[] = {
    {"ring", "a pipe's buffer: a fixed number of slots, filled and drained in a circle"},
    {"stage", "a process of a pipeline, with all of its threads"},
    {"full, empty", "share of the samples at the ring that found it so"},
    {"~", "estimated from the ring's movement; x counts exactly"},
    {"on CPU", "share of the time that the thread that moves the data runs"},
    {"runnable", "able to run, but waiting for a CPU"},
    {"reading", "blocked in a read: the ring before it is empty"},
    {"writing", "blocked in a write: the ring behind it is full"},
    {"disk, lock ..", "what else it waits for"},
    {"own", "a pipe whose both ends one process holds; event loops have them"},
    {"idle", "nothing moves, and nobody is blocked writing"},
    {"left out", "socketpairs look like pipes, but have no ring"},
};

std::string waiting_text(const WatchState& state) {
  return state.command.empty() ? "Looking at the pipeline ..."
                               : "The command has no pipe yet. It shows as soon as it has one; "
                                 "q leaves.";
}

void draw_body(Canvas& canvas, const WatchState& state, const WatchLayout& layout) {
  if (state.in_pipeline) {
    const PipelineLayout places = pipeline_layout(layout.body, canvas.rows(), state.pipeline);
    draw_pipeline(canvas, places, state.pipeline, waiting_text(state));
  } else if (state.shown) {
    draw_table({canvas, layout.body}, state.table, state.shown->now_ns);
  }
}

}  // namespace

std::span<const ScreenKey> watch_words() { return kWords; }

WatchLayout watch_layout(int rows, int cols) {
  WatchLayout layout;
  layout.fits = rows >= kMinRows && cols >= kMinCols;
  if (!layout.fits) return layout;
  const int keys = cols >= 126 ? 1 : 2, message = rows >= 34 ? 2 : 1;
  layout.title = {0, 0, 1, cols};
  layout.body = {1, 0, rows - 1 - message - keys, cols};
  layout.message = {rows - keys - message, 0, message, cols};
  layout.keys = {rows - keys, 0, keys, cols};
  return layout;
}

void draw(Canvas& canvas, const WatchState& state) {
  const WatchLayout layout = watch_layout(canvas.rows(), canvas.cols());
  if (!layout.fits) return draw_too_small(canvas);
  draw_watch_title({canvas, layout.title}, state);
  draw_body(canvas, state, layout);
  draw_message(canvas, layout.message, message_of(state));
  draw_keys({canvas, layout.keys}, place_keys(layout.keys, watch_key_items(state)));
  if (state.messages.open) draw_messages(canvas, messages_of(state), state.messages.scroll);
  if (state.help.open)
    draw_help(canvas, {.screen_keys = watch_keys(state.place()), .words = kWords},
              state.help.scroll);
  if (state.question) draw_question(canvas, *state.question);
  if (state.leaving)
    draw_question(canvas, leaving_question(state.shown ? state.shown->interventions
                                                       : std::span<const Intervention>()));
}

}  // namespace pipetop::tui

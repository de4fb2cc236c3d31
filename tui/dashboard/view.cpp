#include "tui/dashboard/view.h"

#include <algorithm>

#include "engine/registry/workloads.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/pipeline_page.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/state/key_bar.h"
#include "tui/state/layout.h"
#include "tui/state/messages.h"
#include "tui/state/rungs.h"
#include "tui/state/show_layout.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/show.h"
#include "tui/widgets/talk_pages.h"
#include "tui/widgets/throughput.h"
#include "tui/widgets/time_line.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

// Whether the writer's list says why it is empty.
bool remedy_is_said(const Layout& layout, const DashboardState& state, std::string_view reason) {
  return !layout.writer.empty() && state.writers_list_says(reason);
}

void draw_role(Canvas& canvas, const Layout& layout, const Snapshot& s, const DashboardState& state,
               Role role) {
  const WorkerReadings& w = s.worker(role);
  const Rect& rect = panel_of(layout, role);
  const bool focused = state.focus == role && !state.ring.inspected;
  const bool remedy_said =
      role != Role::writer && remedy_is_said(layout, state, state.list(role).contents.rows.reason);
  const auto title = worker_title(w, title_room(rect.cols));
  const Area area = draw_panel(canvas, layout, rect, title, focused);
  draw_worker(area, w, unit_of(s.requested),
              {.list = state.list(role),
               .choice = state.choice,
               .role = role,
               .focused = focused,
               .remedy_said = remedy_said,
               .by_timer = s.event.has_value() && s.event->name == kTimerEvent});
}

// Shows the reference even if there is no room for the rest of the title.
void draw_throughput_panel(Canvas& canvas, const Layout& layout, const Snapshot& s,
                           const DashboardState& state) {
  const auto total = static_cast<double>(s.throughput.total_items);
  const Pace pace = pace_of(s);
  std::vector<TitlePart> title = {{"throughput", Style::title},
                                  s.requested.pipe.single_step ? step_badge() : pace_badge(pace)};
  const Segment* a = state.reference.is_a ? state.reference.segment.get() : nullptr;
  const int room = title_room(layout.throughput.cols) - title_columns(title) - columns_of(" · ");
  if (a) {
    title.push_back({frozen_text(*a, room), {Style::mark, kBold}});
  } else {
    const std::string_view items = unit_of(s.requested).items;
    title.push_back({total > 0 ? items_text(total, items) : "", Style::dim});
  }
  const Area area = draw_panel(canvas, layout, layout.throughput, title);
  draw_throughput(area, s.throughput, s.now_ns, pace, a, state.shown_roof(),
                  cause_text(s, area.cols()), is_damaged(s));
}

// In the ring's panel if it has a row for it and shows it in full, or the reason why there is none.
VerdictAt verdict_place(const Layout& layout, const Snapshot& s, const DashboardState& state) {
  if (state.shows_pipeline()) return VerdictAt::ring;  // above the stages, it says the same
  const Rect ring = inside(layout, layout.ring);
  const bool in_full = !s.verdict.has_value() || columns_of(verdict_text(*s.verdict)) <= ring.cols;
  return !shows_parts(s, state) && has_verdict_row(ring.rows) && in_full ? VerdictAt::ring
                                                                         : VerdictAt::message;
}

// In the throughput's panel if it has a row for it and shows it in full.
ChangeAt change_place(const Layout& layout, const Snapshot& s) {
  const Rect panel = inside(layout, layout.throughput);
  const bool shown = has_cause_row(panel.rows, panel.cols) &&
                     (!s.change.has_value() || cause_text(s, panel.cols) == s.change->words());
  return shown ? ChangeAt::throughput : ChangeAt::message;
}

// The ring, or the parts.
void draw_ring_panel(Canvas& canvas, const Layout& layout, const Snapshot& s,
                     const DashboardState& state) {
  if (shows_parts(s, state)) {
    draw_parts(draw_panel(canvas, layout, layout.ring, parts_title(s)), s);
    return;
  }
  draw_ring(
      draw_panel(canvas, layout, layout.ring, ring_title(s), state.ring.inspected.has_value()), s,
      state.ring,
      {remedy_is_said(layout, state, s.ring.frame.reason),
       state.shows_pipeline() ? VerdictAt::message : verdict_place(layout, s, state)});
}

void draw_ladder_page(Canvas& canvas, const Layout& layout, const Snapshot& s,
                      const DashboardState& state) {
  Area(canvas, layout.page).fill(U' ', {});
  const TitlePart title[] = {{"ladder", Style::title}, {"j k scroll, B closes", Style::dim}};
  draw_ladder(draw_panel(canvas, layout, layout.page, title, true), rungs_of(s, state.presets),
              unit_of(s.requested), state.ladder.scroll);
}

// Those of the layout, or the page that is open.
void draw_panels(Canvas& canvas, const Layout& layout, const Snapshot& s,
                 const DashboardState& state, const PipelineState* pipeline) {
  if (state.show.on) {
    draw_show_title({canvas, layout.title}, s, show_title(state), state.frozen, badges_of(state));
    draw_show_words({canvas, layout.keys}, s);
  } else {
    draw_title_bar({canvas, layout.title}, s, state.title(), state.frozen, state.running_behind(),
                   badges_of(state));
    const Rect bar = key_bar(layout, state);
    draw_keys({canvas, bar}, place_keys(bar, s, state));
  }
  if (pipeline && !layout.pipeline.empty()) draw_own_pipeline(canvas, layout.pipeline, *pipeline);
  if (!layout.throughput.empty()) draw_throughput_panel(canvas, layout, s, state);
  if (!layout.ring.empty()) draw_ring_panel(canvas, layout, s, state);
  if (state.log.open) {
    draw_segment_log(canvas, layout, s, state);
  } else if (state.ladder.open) {
    draw_ladder_page(canvas, layout, s, state);
  } else {
    for (const Role role : roles_of(s.requested)) {
      if (!panel_of(layout, role).empty()) draw_role(canvas, layout, s, state, role);
    }
  }
  draw_message(canvas, layout.message,
               message_of(s, state, verdict_place(layout, s, state), change_place(layout, s)));
}

void draw_screen(Canvas& canvas, const Snapshot& s, const DashboardState& state,
                 const PipelineState* pipeline) {
  const Layout layout = screen_layout(state, canvas.rows(), canvas.cols());
  if (!layout.fits) {
    draw_too_small(canvas);
    return;
  }
  if (state.show.on && !state.zoom) {
    draw_show(canvas, s, state);
  } else {
    draw_panels(canvas, layout, s, state, pipeline);
  }
  if (state.replay) draw_time_line({canvas, time_line(layout)}, *state.replay);
  if (state.messages.open) draw_messages(canvas, messages_of(s, state), state.messages.scroll);
  if (state.help.open) draw_help(canvas, help_of(state), state.help.scroll);
}

}  // namespace

void draw(Canvas& canvas, const Snapshot& s, const DashboardState& state,
          const PipelineState* pipeline) {
  if (state.show.blank) return;
  draw_screen(canvas, s, state, pipeline);
  draw_talk(canvas, state.talk);
}

}  // namespace pipetop::tui

#include "tui/dashboard/view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/judge/change_rules.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/messages.h"
#include "tui/dashboard/talk.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/watch/pipeline_view.h"
#include "tui/watch/watch_controller.h"
#include "tui/widgets/ladder.h"
#include "tui/widgets/pages.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/show.h"
#include "tui/widgets/throughput.h"
#include "tui/widgets/transport.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

KnownRates known_rates(const DashboardState& state) {
  return {.roof = state.shown_roof(), .then = state.then};
}

std::vector<TitlePart> badges_of(const DashboardState& state) {
  return recording_badges(state.replay, state.recording);
}

// What was changed by hand comes first.
std::vector<TitlePart> badges_in_show(const DashboardState& state) {
  std::vector<TitlePart> badges = badges_of(state);
  if (const std::string by_hand = state.by_hand(); !by_hand.empty())
    badges.insert(badges.begin(), {"by hand: " + by_hand, Style::mark});
  return badges;
}

// "3/12 Lending pages"; outside of a talk what the preset is.
std::string show_title(const DashboardState& state) {
  const ShowState& show = state.show;
  if (show.scenes > 0) return fmt::format("{}/{} {}", show.scene, show.scenes, show.title);
  if (!show.title.empty()) return show.title;
  const std::string_view name = state.preset_name();
  const Preset* preset = find_preset(state.presets, name);
  return preset && !preset->title.empty() ? preset->title : std::string(name);
}

// The panels of the dashboard. In the show they are those of its large part, with a line and a
// short title above each.
class Painter {
 public:
  Painter(Canvas& canvas, const Snapshot& s, const DashboardState& state,
          const PipelineState* pipeline)
      : canvas_(canvas),
        s_(s),
        state_(state),
        pipeline_(pipeline),
        layout_(screen_layout(state, canvas.rows(), canvas.cols())),
        in_show_(state.show.on && !state.zoom) {}

  void draw() {
    if (!layout_.fits) return draw_too_small(canvas_);
    if (in_show_)
      draw_show();
    else
      draw_dashboard();
    if (state_.replay) draw_time_line(at(time_line(layout_)), *state_.replay);
    if (state_.messages.open)
      draw_messages(canvas_, messages_of(s_, state_), state_.messages.scroll);
    if (state_.help.open) draw_help(canvas_, help_of(state_), state_.help.scroll);
  }

 private:
  Area at(const Rect& rect) { return {canvas_, rect}; }
  bool highlights(std::string_view what) const { return in_show_ && state_.show.highlight == what; }

  void draw_dashboard() {
    if (state_.show.on) {
      draw_show_title(at(layout_.title), s_, show_title(state_), state_.frozen,
                      badges_in_show(state_));
      draw_show_words(at(layout_.keys), s_);
    } else {
      draw_title_bar(at(layout_.title), s_, state_.title(), state_.frozen, state_.running_behind(),
                     badges_of(state_));
      const Rect bar = key_bar(layout_, state_);
      draw_keys(at(bar), place_keys(bar, s_, state_));
    }
    if (pipeline_ && !layout_.pipeline.empty())
      draw_own_pipeline(canvas_, layout_.pipeline, *pipeline_);
    draw_panels();
    draw_message(canvas_, layout_.message, message_of(s_, state_, verdict_place(), change_place()));
  }

  void draw_show() {
    const ShowLayout places =
        show_layout(canvas_.rows(), canvas_.cols(), state_.on_screen(), state_.show);
    draw_show_title(at(places.title), s_, show_title(state_), state_.frozen,
                    badges_in_show(state_));
    const bool rate = highlights("rate");
    draw_show_rate(at(places.number), s_, places.number_size, rate);
    draw_show_factor(at(places.factor), s_, places.factor_size, rate);
    draw_show_change(at(places.compared), s_);
    draw_show_cause(at(places.cause), s_.change);
    if (!places.strip.empty()) draw_ring_in(places.strip);
    draw_panels();
    if (!places.top.empty()) draw_top(places.top);
    // It is of other settings.
    draw_show_caption(at(places.caption), state_.show.caption,
                      state_.by_hand().empty() ? Style::value : Style::dim);
    draw_message_row(places.message);
    draw_show_words(at(places.words), s_);
  }

  // Those of the layout, or the page that is open.
  void draw_panels() {
    const ShowPart part = state_.show.part();
    if (!layout_.throughput.empty()) draw_throughput_in(layout_.throughput);
    if (!layout_.ring.empty()) draw_ring_in(layout_.ring);
    if (in_show_ ? part == ShowPart::log : state_.log.open)
      return draw_segment_log(canvas_, layout_.border(), layout_.page,
                              {s_, state_.reference, state_.hottest, state_.log.scroll});
    if (in_show_ ? part == ShowPart::ladder : state_.ladder.open)
      return draw_ladder_in(layout_.page);
    for (const Role role : roles_of(in_show_ ? state_.on_screen() : s_.requested))
      if (!panel_of(layout_, role).empty()) draw_role(role);
  }

  Area panel(const Rect& rect, std::vector<TitlePart> title, bool focused = false,
             bool highlighted = false) {
    if (highlighted && !title.empty()) title.front().ink = kHighlighted;
    return draw_panel(canvas_, layout_, rect, title, focused || highlighted);
  }

  // Whether the writer's list says why it is empty.
  bool remedy_is_said(std::string_view reason) const {
    return !in_show_ && !layout_.writer.empty() && state_.writers_list_says(reason);
  }

  TitlePart role_title(Role role) const {
    const WorkerReadings& w = s_.worker(role);
    std::string name(role_name(state_.on_screen(), role));
    if (w.processes > 1) name = fmt::format("{} {}s", w.processes, name);
    return {std::move(name), {style_of(role), kBold}};
  }

  void draw_role(Role role) {
    const WorkerReadings& w = s_.worker(role);
    const Rect& rect = panel_of(layout_, role);
    const bool focused = state_.focus == role && (in_show_ || !state_.ring.inspected);
    FunctionListOptions list{
        .list = state_.list(role), .choice = state_.choice, .role = role, .focused = focused};
    if (in_show_) {
      list.highlight = state_.show.highlight;
      return draw_function_list(panel(rect, {role_title(role)}), list);
    }
    list.remedy_said =
        role != Role::writer && remedy_is_said(state_.list(role).contents.rows.reason);
    list.by_timer = s_.event.has_value() && s_.event->name == kTimerEvent;
    draw_worker(panel(rect, worker_title(w, title_room(rect.cols)), focused), w,
                unit_of(s_.requested), list);
  }

  // The rate from that of A, or of before, by more than the noise. In turns A has another one.
  bool differs_from(const Segment* a) const {
    if (state_.take_turns() || state_.compared()) return false;
    const Reading<RateStats>& now = s_.throughput.current.rate;
    if (!a) return s_.change.has_value() && s_.change->is_seen();
    return now.has_value() && a->rate.has_value() &&
           std::abs(std::log(now->mean / a->rate->mean)) > off_by(*a->rate, *now);
  }

  // Shows the reference even if there is no room for the rest of the title.
  void draw_throughput_in(const Rect& rect) {
    std::vector<TitlePart> title = {{"throughput", Style::title}};
    const Pace pace = pace_of(s_);
    if (in_show_)
      return draw_history(panel(rect, std::move(title), false, highlights("rate")), s_.throughput,
                          s_.now_ns, pace, known_rates(state_));
    title.push_back(s_.requested.pipe.single_step ? step_badge() : pace_badge(pace));
    const Segment* a = state_.reference.is_a ? state_.reference.segment.get() : nullptr;
    const int room = title_room(rect.cols) - title_columns(title) - columns_of(" · ");
    const auto total = static_cast<double>(s_.throughput.total_items);
    if (a)
      title.push_back({frozen_text(*a, room), {Style::mark, kBold}});
    else if (total > 0)
      title.push_back({items_text(total, unit_of(s_.requested).items), Style::dim});
    const Area area = panel(rect, std::move(title));
    draw_throughput(area, s_.throughput, s_.now_ns, pace, a, known_rates(state_),
                    state_.compared() ? state_.turns->words() : cause_text(s_, area.cols()),
                    is_damaged(s_), differs_from(a));
  }

  // The ring, or the parts.
  void draw_ring_in(const Rect& rect) {
    if (shows_parts(s_, state_)) return draw_parts(panel(rect, parts_title(s_)), s_);
    const bool inspects = !in_show_ && state_.ring.inspected.has_value();
    draw_ring(panel(rect, ring_title(s_), inspects, highlights("slots")), s_, state_.ring,
              {remedy_is_said(s_.ring.frame.reason),
               in_show_ || state_.shows_pipeline() ? VerdictAt::message : verdict_place()});
  }

  void draw_ladder_in(const Rect& rect) {
    const auto rungs = rungs_of(s_, state_.presets);
    std::vector<TitlePart> title = {{"ladder", Style::title}};
    if (!in_show_) {
      at(rect).fill(U' ', {});
      title.push_back({"j k scroll, B closes", Style::dim});
    }
    const Area area = panel(rect, std::move(title), !in_show_);
    draw_ladder(area, rungs, unit_of(s_.requested),
                in_show_ ? scroll_to_present(area.rows(), rungs) : state_.ladder.scroll);
  }

  // In the ring's panel if it has a row for it and shows it in full, or the reason why there is
  // none.
  VerdictAt verdict_place() const {
    if (state_.shows_pipeline()) return VerdictAt::ring;  // above the stages, it says the same
    const Rect ring = inside(layout_, layout_.ring);
    const bool in_full =
        !s_.verdict.has_value() || columns_of(verdict_text(*s_.verdict)) <= ring.cols;
    return !shows_parts(s_, state_) && has_verdict_row(ring.rows) && in_full ? VerdictAt::ring
                                                                             : VerdictAt::message;
  }

  // In the throughput's panel if it has a row for it and shows it in full.
  ChangeAt change_place() const {
    const Rect panel = inside(layout_, layout_.throughput);
    const bool shown = has_cause_row(panel.rows, panel.cols) &&
                       (!s_.change.has_value() || cause_text(s_, panel.cols) == s_.change->words());
    return shown ? ChangeAt::throughput : ChangeAt::message;
  }

  // ---- of the show only ----

  void draw_top(const Rect& band) {
    const auto roles = roles_of(state_.on_screen());
    const auto count = static_cast<int>(roles.size());
    const int cols = (band.cols - (count - 1)) / count;
    int col = band.col;
    for (const Role role : roles) {
      const int own = role == roles.back() ? band.end_col() - col : cols;
      const Area area =
          panel({band.row, col, band.rows, own}, {role_title(role), {"runs in", Style::dim}});
      draw_hottest(area, s_.worker(role), state_.hottest, named_function(), state_.show.highlight);
      col += own + 1;
    }
  }

  // The highlight, if it is one.
  std::string_view named_function() const {
    const std::string& h = state_.show.highlight;
    return h == "slots" || h == "verdict" || h == "rate" ? std::string_view() : h;
  }

  void draw_message_row(const Rect& rect) {
    const Message message = message_of(s_, state_, VerdictAt::message);
    const bool verdict = highlights("verdict") && message.severity == Severity::info;
    if (!verdict || !s_.verdict.has_value()) return draw_message(canvas_, rect, message);
    const Area area = at(rect);
    area.put(0, 1, whole_clauses(verdict_text(*s_.verdict), area.cols() - 2), kHighlighted);
  }

  Canvas& canvas_;
  const Snapshot& s_;
  const DashboardState& state_;
  const PipelineState* pipeline_;
  Layout layout_;
  bool in_show_;
};

// ---- our own workers as a pipeline ----

struct Places {
  Rect verdict, chain;
  ChainLayout items;  // on the screen
};

Places places_in(const Rect& rect, const PipelineState& pipeline) {
  constexpr int kRoomy = 12;  // rows
  const int above = rect.rows >= kRoomy ? 2 : 1;
  Places places{{rect.row, rect.col, above, rect.cols},
                {rect.row + above, rect.col, rect.rows - above, rect.cols},
                {}};
  const Rect& chain = places.chain;
  places.items = chain_layout(pipeline.chain, chain.rows, chain.cols, pipeline.at, pipeline.scroll);
  for (PlacedItem& placed : places.items.items) {
    placed.rect.row += chain.row;
    placed.rect.col += chain.col;
  }
  return places;
}

Panel panel_of(const ChainItem& item) {
  if (item.kind == ChainItem::Kind::ring) return Panel::ring;
  return item.index == 0 ? Panel::writer : Panel::reader;
}

}  // namespace

void draw(Canvas& canvas, const Snapshot& s, const DashboardState& state,
          const PipelineState* pipeline) {
  if (state.show.blank) return;
  Painter(canvas, s, state, pipeline).draw();
  draw_talk(canvas, state.talk);
}

void draw_recorded(Canvas& canvas, const Snapshot& shown, DashboardState& view) {
  view.requested = shown.requested;
  view.now_ns = shown.now_ns;
  view.ring.follow(shown);
  show_lists(view, shown, canvas.rows(), canvas.cols());
  draw(canvas, shown, view);
}

void draw_watching_scene(Canvas& canvas, const DashboardState& state,
                         const WatchController& watched) {
  if (state.show.blank) return;
  const Layout layout = screen_layout(state, canvas.rows(), canvas.cols());
  if (!layout.fits) return draw_too_small(canvas);
  watched.draw(canvas);
  if (watched.body()) {
    const ShowLayout places =
        show_layout(canvas.rows(), canvas.cols(), state.on_screen(), state.show);
    draw_show_title({canvas, places.title}, show_title(state), badges_of(watched.state()));
    draw_show_caption({canvas, places.caption}, state.show.caption);
    draw_message(canvas, places.message, message_of(watched.state()));
    if (state.replay) draw_time_line({canvas, time_line(layout)}, *state.replay);
  }
  draw_talk(canvas, state.talk);
}

void follow(PipelineState& pipeline, const Snapshot& shown, const DashboardState& view) {
  const bool same = pipeline.snapshot && pipeline.snapshot->now_ns == shown.now_ns;
  if (!same) {
    // What a replay goes back to is older than what the rings remember.
    if (pipeline.snapshot && shown.now_ns < pipeline.snapshot->now_ns) pipeline.rings.clear();
    const auto now = std::make_shared<Snapshot>();
    now->now_ns = shown.now_ns;
    now->watched = pipeline_of(shown, unit_of(shown.requested).count);
    if (shown.verdict.has_value()) {
      now->watched->verdict.because = verdict_text(*shown.verdict);
      now->watched->verdict.advice = shown.verdict->advice;
    }
    pipeline.cpus = shown.host ? static_cast<size_t>(shown.host->cpus) : 0;
    update(pipeline, now, 0);
  }
  pipeline.frozen = view.frozen;
  for (size_t i = 0; i < pipeline.chain.nodes(); ++i)
    if (panel_of(pipeline.chain.items[i]) == view.below_pipeline) select(pipeline, i);
}

void draw_own_pipeline(Canvas& canvas, const Rect& rect, const PipelineState& pipeline) {
  if (!pipeline.has_pipeline()) return;
  const Places places = places_in(rect, pipeline);
  draw_pipeline_verdict({canvas, places.verdict}, pipeline.shown().verdict);
  draw_chain(canvas, places.chain, places.items, pipeline);
}

std::optional<Panel> panel_at(const Rect& rect, const PipelineState& pipeline, int row, int col) {
  if (!pipeline.has_pipeline()) return std::nullopt;
  const Places places = places_in(rect, pipeline);
  for (const PlacedItem& placed : places.items.items)
    if (placed.rect.contains(row, col)) return panel_of(pipeline.chain.items[placed.item]);
  return std::nullopt;
}

}  // namespace pipetop::tui

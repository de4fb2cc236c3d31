#include <fmt/core.h>

#include "engine/registry/workloads.h"
#include "tui/dashboard/view.h"
#include "tui/state/messages.h"
#include "tui/state/rungs.h"
#include "tui/state/show_layout.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/show.h"
#include "tui/widgets/throughput.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

// A line with a title above each part; boxes would take two rows more.
class ShowPainter {
 public:
  ShowPainter(Canvas& canvas, const Snapshot& s, const DashboardState& state)
      : canvas_(canvas),
        s_(s),
        state_(state),
        places_(show_layout(canvas.rows(), canvas.cols(), state.on_screen(), state.show)),
        panels_(screen_layout(state, canvas.rows(), canvas.cols())) {}

  void draw() {
    draw_show_title(at(places_.title), s_, show_title(state_), state_.frozen, badges_of(state_));
    const bool rate = highlights("rate");
    draw_show_rate(at(places_.number), s_, places_.number_size, rate);
    draw_show_factor(at(places_.factor), s_.change, places_.factor_size, rate);
    draw_show_change(at(places_.compared), s_);
    draw_show_cause(at(places_.cause), s_.change);
    if (!places_.strip.empty()) draw_ring_in(places_.strip);
    draw_large();
    if (!places_.top.empty()) draw_top();
    draw_show_caption(at(places_.caption), state_.show.caption);
    draw_message_row();
    draw_show_words(at(places_.words), s_);
  }

 private:
  Area at(const Rect& rect) { return {canvas_, rect}; }
  bool highlights(std::string_view what) const { return state_.show.highlight == what; }

  Area panel(const Rect& rect, std::vector<TitlePart> title, bool highlighted = false) {
    if (highlighted && !title.empty()) title.front().ink = kHighlighted;
    return draw_panel(canvas_, panels_, rect, title, highlighted);
  }

  void draw_ring_in(const Rect& rect) {
    if (shows_parts(s_, state_)) {
      draw_parts(panel(rect, parts_title(s_)), s_);
      return;
    }
    draw_ring(panel(rect, ring_title(s_), highlights("slots")), s_, state_.ring,
              {.remedy_said = false, .verdict = VerdictAt::message});
  }

  void draw_list_in(Role role) {
    const Rect& rect = panel_of(panels_, role);
    const Area area = panel(rect, {role_title(role)});
    draw_function_list(area, {state_.list(role), state_.choice, role, state_.focus == role, false,
                              state_.show.highlight});
  }

  void draw_large() {
    const Area page = at(places_.large);
    switch (state_.show.view) {
      case ShowPart::ring:
        return draw_ring_in(places_.large);
      case ShowPart::functions:
      case ShowPart::tree:
      case ShowPart::waiting:
        for (const Role role : roles_of(state_.on_screen())) draw_list_in(role);
        return;
      case ShowPart::log:
        return draw_segment_log(canvas_, panels_, s_, state_);
      case ShowPart::ladder: {
        const auto rungs = rungs_of(s_, state_.presets);
        const Area area = panel(page.rect(), {{"ladder", Style::title}});
        return draw_ladder(area, rungs, unit_of(s_.requested),
                           scroll_to_present(area.rows(), rungs));
      }
      case ShowPart::throughput: {
        const Area area = panel(page.rect(), {{"throughput", Style::title}}, highlights("rate"));
        return draw_history(area, s_.throughput, s_.now_ns, pace_of(s_), state_.shown_roof());
      }
    }
  }

  TitlePart role_title(Role role) const {
    const WorkerReadings& w = s_.worker(role);
    std::string name(role_name(state_.on_screen(), role));
    if (w.processes > 1) name = fmt::format("{} {}s", w.processes, name);
    return {std::move(name), {style_of(role), kBold}};
  }

  void draw_top() {
    const auto roles = roles_of(state_.on_screen());
    const Rect& band = places_.top;
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

  void draw_message_row() {
    const Message message = message_of(s_, state_, VerdictAt::message);
    const bool verdict = highlights("verdict") && message.severity == Severity::info;
    if (!verdict || !s_.verdict.has_value()) {
      draw_message(canvas_, places_.message, message);
      return;
    }
    const Area area = at(places_.message);
    area.put(0, 1, whole_clauses(verdict_text(*s_.verdict), area.cols() - 2), kHighlighted);
  }

  Canvas& canvas_;
  const Snapshot& s_;
  const DashboardState& state_;
  ShowLayout places_;
  Layout panels_;
};

}  // namespace

std::vector<TitlePart> badges_of(const DashboardState& state) {
  std::vector<TitlePart> badges;
  if (state.replay) badges.push_back({" REPLAY ", {Style::mark, kReverse}});
  if (state.recording) badges.push_back({" REC ", {Style::error, kReverse}});
  return badges;
}

std::string show_title(const DashboardState& state) {
  const ShowState& show = state.show;
  if (show.scenes > 0) return fmt::format("{}/{} {}", show.scene, show.scenes, show.title);
  if (!show.title.empty()) return show.title;
  const std::string_view name = state.preset_name();
  const Preset* preset = find_preset(state.presets, name);
  return preset && !preset->title.empty() ? preset->title : std::string(name);
}

void draw_show(Canvas& canvas, const Snapshot& s, const DashboardState& state) {
  ShowPainter(canvas, s, state).draw();
}

}  // namespace pipetop::tui

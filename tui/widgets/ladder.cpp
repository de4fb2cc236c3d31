#include "tui/widgets/ladder.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/workload/table/workloads.h"
#include "tui/draw/charts.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/widgets/curve.h"

namespace pipetop::tui {
namespace {

Settings at_pace_of(Settings settings, const Settings& pace) {
  settings.pipe.slow_motion = pace.pipe.slow_motion;
  settings.pipe.single_step = pace.pipe.single_step;
  return settings;
}

// nullptr if there is none.
const Preset* find_but_for_pace(std::span<const Preset> presets, const Settings& settings) {
  const auto found = std::ranges::find(presets, settings, [&](const Preset& preset) {
    return at_pace_of(preset.from(settings), settings);
  });
  return found == presets.end() ? nullptr : &*found;
}

// "" for `wait` if the roles differ: then the roles' own knobs are said.
bool is_said(const Knob& knob, const Settings& before, const Settings& after) {
  const auto agrees = [](const Settings& s) { return s.pipe.writer_wait == s.pipe.reader_wait; };
  const bool both_agree = agrees(before) && agrees(after);
  if (knob.name == "wait") return both_agree;
  return !(knob.name.ends_with(".wait") && both_agree);
}

// Observers are no rung of their own.
Settings compared_settings(Settings s) {
  s.observers = Observing::on;
  return s;
}

struct RungOf {
  Settings settings;
  Rung rung;
};

class RungMaker {
 public:
  RungMaker(const Snapshot& s, std::span<const Preset> presets)
      : kind_(s.throughput.current.requested.workload), presets_(presets) {}

  void add(const Segment& segment, bool present) {
    if (segment.requested.workload != kind_) return;
    const bool slow = segment.requested.pipe.slow_motion;
    const bool known = segment.rate.has_value() && !slow;
    if (!known && !present) return;
    Rung& rung = of(segment);
    rung.present = present;
    rung.rate = known ? std::optional(segment.rate->mean) : std::nullopt;
  }

  std::vector<Rung> take() {
    std::vector<Rung> rungs;
    for (RungOf& one : made_) rungs.push_back(std::move(one.rung));
    const bool compared = !rungs.empty() && rungs.front().rate.value_or(0) > 0;
    for (Rung& rung : rungs)
      if (compared && rung.rate) rung.times = *rung.rate / *rungs.front().rate;
    return rungs;
  }

 private:
  Rung& of(const Segment& segment) {
    const Settings settings = compared_settings(segment.requested);
    const auto found = std::ranges::find(made_, settings, &RungOf::settings);
    if (found != made_.end()) return found->rung;
    const auto preset = std::ranges::find_if(
        presets_, [&](const Preset& p) { return compared_settings(p.settings) == settings; });
    const bool named = preset != presets_.end();
    Rung rung;
    rung.name = named ? preset->name : segment.label;
    if (named) rung.article = preset->article_gib_per_s;
    made_.push_back({settings, std::move(rung)});
    return made_.back().rung;
  }

  WorkloadKind kind_;
  std::span<const Preset> presets_;
  std::vector<RungOf> made_;
};

constexpr int kUsualRungs = 8;  // more make the rows thinner; fewer leave them as they are

struct LadderShape {
  int rung_rows = 1;  // with the air below the bar
  int visible = 1;    // rungs
};

// Below the heading.
LadderShape ladder_shape(int rows, int rungs) {
  LadderShape shape;
  const int room = std::max(1, rows - 1);
  shape.rung_rows = std::clamp(room / std::max(rungs, kUsualRungs), 1, 3);
  shape.visible = std::max(1, room / shape.rung_rows);
  return shape;
}

struct LadderColumns {
  Rect name, rate, times, bar, article;
};

LadderColumns ladder_columns(int cols, std::span<const Rung> rungs) {
  constexpr int kMark = 2, kRate = 9, kTimes = 9;
  int longest = 8;
  bool any_article = false;
  for (const Rung& rung : rungs) {
    longest = std::max(longest, columns_of(rung.name));
    any_article |= rung.article > 0;
  }
  const int article = any_article ? columns_of("  article 88.8") : 0;
  const int name = std::min(longest, std::max(8, cols - kMark - kRate - kTimes - article - 8));
  const int rate = kMark + name, times = rate + kRate, bar = times + kTimes + 1;
  return {{0, kMark, 1, name},
          {0, rate, 1, kRate},
          {0, times, 1, kTimes},
          {0, bar, 1, std::max(0, cols - article - bar)},
          {0, cols - article, 1, article}};
}

void draw_rung(const Area& area, const LadderColumns& c, const Rung& rung, double full, int rows) {
  const Style style = rung.present ? Style::mark : Style::plain;
  if (rung.present) area.put(0, 0, area.glyphs().set == GlyphSet::ascii ? ">" : "▸", Style::mark);
  area.part(c.name).put_fitted(0, 0, c.name.cols, rung.name, {style, rung.present ? kBold : kNone});
  const Area numbers = area.part({0, c.rate.col, 1, c.times.end_col() - c.rate.col});
  if (!rung.rate) {
    numbers.put_right(0, "measuring", Style::dim);
  } else {
    area.part(c.rate).put_right(0, rate_text(*rung.rate), Style::value);
    if (rung.times > 0) area.part(c.times).put_right(0, ratio_text(rung.times), Style::plain);
    for (int row = 0; row < std::max(1, rows - 1); ++row)
      draw_bar(area.part({row, c.bar.col, 1, c.bar.cols}), *rung.rate / full,
               rung.present ? Style::mark : Style::graph);
  }
  if (rung.article > 0)
    area.part(c.article).put_right(0, "article " + rate_text(rung.article), Style::dim);
}

}  // namespace

const Preset* find_exact(std::span<const Preset> presets, const Settings& settings) {
  const auto found = std::ranges::find(presets, settings,
                                       [&](const Preset& preset) { return preset.from(settings); });
  return found == presets.end() ? nullptr : &*found;
}

std::string_view preset_of(std::span<const Preset> presets, const Settings& settings) {
  const Preset* found = find_exact(presets, settings);
  if (!found) found = find_but_for_pace(presets, settings);
  return found ? std::string_view(found->name) : "custom";
}

std::string name_of(std::span<const Preset> presets, const Settings& settings) {
  std::string name(preset_of(presets, settings));
  if (find_exact(presets, settings)) return name;
  if (settings.pipe.single_step) return name + " · single steps";
  return settings.pipe.slow_motion ? name + " · slow motion" : name;
}

std::string taken_back(const Settings& base, const Settings& before, const Settings& after) {
  std::string text;
  for (const Knob& knob : knobs_of(after)) {
    const std::string was = knob.get(before), is = knob.get(after);
    if (was == is || knob.get(base) != is || !is_said(knob, before, after)) continue;
    const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
    text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", knob.name, shown(was), shown(is));
  }
  return text;
}

std::string changed_to(const Settings& before, const Settings& after) {
  std::string text;
  for (const Knob& knob : knobs_of(after))
    if (knob.get(before) != knob.get(after) && is_said(knob, before, after))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", knob.name, knob.get(after));
  return text;
}

std::vector<Rung> rungs_of(const Snapshot& s, std::span<const Preset> presets) {
  RungMaker maker(s, presets);
  for (const auto& segment : s.throughput.segments) maker.add(*segment, false);
  maker.add(s.throughput.current, true);
  return maker.take();
}

int ladder_scroll_end(int rows, std::span<const Rung> rungs) {
  const auto count = static_cast<int>(rungs.size());
  return std::max(0, count - ladder_shape(rows, count).visible);
}

void draw_ladder(const Area& area, std::span<const Rung> rungs, const Unit& unit, int scroll) {
  if (area.rows() < 2) return;
  const auto count = static_cast<int>(rungs.size());
  const LadderShape shape = ladder_shape(area.rows(), count);
  const LadderColumns c = ladder_columns(area.cols(), rungs);
  double most = 0;
  for (const Rung& rung : rungs) most = std::max(most, rung.rate.value_or(0));
  const double full = axis_end(most);
  const int first = std::clamp(scroll, 0, ladder_scroll_end(area.rows(), rungs));
  const int below = count - first - shape.visible;

  area.part({0, 0, 1, c.rate.end_col()}).put_right(0, unit.rate, Style::dim);
  area.part(c.times).put_right(0, "× first", Style::dim);
  Pen pen(area.part(c.bar), 0);
  const std::string more = fmt::format("▾ {} more below", below);
  if (below > 0 && pen.room() >= columns_of(more)) pen.text(more, Style::mark).skip(2);
  const std::string scale = fmt::format("full bar {:g} {}", full, unit.rate);
  if (pen.room() >= columns_of(scale)) pen.text(scale, Style::dim);
  if (first > 0 && c.name.cols >= 10)
    area.part(c.name).put(0, 0, fmt::format("▴ {} above", first), Style::mark);
  for (int i = 0; i < shape.visible && first + i < count; ++i)
    draw_rung(area.from_row(1 + i * shape.rung_rows, shape.rung_rows), c,
              rungs[static_cast<size_t>(first + i)], full, shape.rung_rows);
}

int scroll_to_present(int rows, std::span<const Rung> rungs) {
  const auto present = std::ranges::find(rungs, true, &Rung::present);
  const auto index = static_cast<int>(present - rungs.begin());
  const int visible = ladder_shape(rows, static_cast<int>(rungs.size())).visible;
  return std::clamp(index - visible + 1, 0, ladder_scroll_end(rows, rungs));
}

}  // namespace pipetop::tui

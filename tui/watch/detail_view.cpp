#include "tui/watch/detail_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/process/threads.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/state/pipe_words.h"
#include "tui/watch/stage_box.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/workers.h"

namespace pipetop::tui {
namespace {

constexpr int kTallDetail = 12;  // rows inside, from which on a stage is described above its list
constexpr int kStageRows = 3;    // that this takes
constexpr int kRingRows = 2;     // above the slots

bool is_focused(const PipelineState& state) { return state.focus != PipelineFocus::chain; }

int rows_above_list(int rows) { return rows >= kTallDetail ? kStageRows : 0; }

// ---- a stage ----

std::vector<TitlePart> stage_title(const Stage& stage) {
  return {{fmt::format("{} {}", stage.name, stage.id.pid), Style::title},
          {"functions", Style::plain}};
}

std::string cpus_of(const Stage& stage, size_t machine) {
  if (stage.cpus.empty()) return "?";
  return stage.cpus.size() >= machine ? "all CPUs" : "CPU " + cpu_list(stage.cpus);
}

void draw_stage_facts(const Area& area, const Stage& stage, size_t cpus) {
  area.put_fitted(0, 0, area.cols(), stage.command, Style::plain);
  std::vector<Item> items = {item_of(stage.cpu, "CPU", "", whole_percent_text),
                             {"threads", std::to_string(stage.threads), {}, Style::value},
                             {"nice", std::to_string(stage.nice), {}, Style::value},
                             {"may run on", cpus_of(stage, cpus), {}, Style::value},
                             {"age", age_text(stage.age_ns), {}, Style::value}};
  if (stage.cpu_ns)
    items.push_back({"CPU time",
                     fmt::format("{:.1f} s", static_cast<double>(*stage.cpu_ns) / 1e9),
                     {},
                     Style::value});
  put_items(area.from_row(1, 1), items);
  if (stage.shares.has_value()) draw_share_items(area.from_row(2, 1), *stage.shares);
}

void draw_stage_detail(const Area& area, const PipelineState& state, const Stage& stage) {
  const int above = rows_above_list(area.rows());
  if (above > 0) draw_stage_facts(area.from_row(0, above), stage, state.cpus);
  draw_function_list(
      area.from_row(above),
      {.list = state.functions, .choice = state.choice, .focused = is_focused(state)});
}

// ---- a ring ----

std::vector<TitlePart> ring_title_of(const PipelineState& state, const Pipe& pipe) {
  const auto& stages = state.shown().stages;
  return {{name_of(pipe), Style::title},
          {fmt::format("{} → {}", ends_text(pipe, stages, Role::writer),
                       ends_text(pipe, stages, Role::reader)),
           Style::plain}};
}

void add_files(std::vector<Item>& items, const char* before, const std::optional<uint32_t>& files) {
  items.push_back({before, files ? std::to_string(*files) : "?", "open", Style::value});
}

void draw_ring_facts(const Area& area, const RingShown& shown) {
  const Pipe& pipe = shown.pipe;
  std::vector<Item> first;
  if (pipe.ring) first.push_back({{}, grouped_text(pipe.ring->slots), "slots", Style::value});
  first.push_back({{}, size_text(pipe.capacity), {}, Style::value});
  const auto used = used_share_of(pipe);
  first.push_back({{}, used ? whole_percent_text(*used) : "?", "used", Style::value, 4});
  first.push_back(item_of(pipe.shares, "on average", "",
                          [](const RingShares& s) { return whole_percent_text(s.mean); }));
  first.push_back(item_of(pipe.shares, "full", "",
                          [](const RingShares& s) { return whole_percent_text(s.full); }));
  first.push_back(item_of(pipe.shares, "empty", "of the samples",
                          [](const RingShares& s) { return whole_percent_text(s.empty); }));
  put_items(area.from_row(0, 1), first);
  std::vector<Item> second = {
      {{}, pipe_rate_text(pipe), pipe.exact ? "exact" : "estimated; x counts", Style::value, 11}};
  if (pipe.total_bytes) second.push_back({{}, size_text(pipe.total_bytes), "so far", Style::value});
  if (!shown.factor.empty()) second.push_back({"change", shown.factor, {}, {Style::mark, kBold}});
  add_files(second, "writers", pipe.kernel_writers);
  add_files(second, "readers", pipe.kernel_readers);
  put_items(area.from_row(1, 1), second);
}

RingLayout ring_plan(int rows, int cols, const RingFrame& frame, const RingState& ring) {
  return ring_layout(rows, cols, frame.slots, ring, Pace::normal, kRingRows);
}

// Side by side, with what they show below them.
void draw_charts(const Area& area, const RingShown& shown) {
  if (area.rows() < 2) return;
  const int half = (area.cols() - 2) / 2, rows = area.rows() - 1;
  draw_rates(area.part({0, 0, rows, half}), shown);
  draw_levels(area.part({0, half + 2, rows, area.cols()}), shown);
  area.part({rows, 0, 1, half}).put(0, 0, "rate, the last minute", Style::dim);
  area.part({rows, half + 2, 1, area.cols()}).put(0, 0, "used, 0 to 100 %", Style::dim);
}

void draw_unknown_slots(const Area& area, const RingShown& shown) {
  const Reading<RingFrame>& frame = shown.live.frame;
  draw_fill(area.from_row(0, 1), shown);
  int row = 1;
  if (frame.has_value())
    row += wrap(area.from_row(1, 2), shown.memory.absent(), Style::dim);
  else
    row += draw_absence(area.from_row(1, 3), "slots", frame.status, frame.reason);
  draw_charts(area.from_row(row + 1), shown);
}

void draw_ring_detail(const Area& area, const RingState& ring, const RingShown& shown) {
  const RingMemory& memory = shown.memory;
  draw_ring_facts(area.from_row(0, kRingRows), shown);
  if (area.rows() <= kRingRows) return;
  const RingFrame* frame = memory.frame();
  if (!frame) return draw_unknown_slots(area.from_row(kRingRows), shown);
  const RingLayout plan = ring_plan(area.rows(), area.cols(), *frame, ring);
  const bool settled = memory.fast() && !shown.instant && !ring.inspected;
  draw_slots(area, plan,
             {.frame = *frame,
              .kinds = memory.kinds(),
              .settled = settled ? &memory.occupancy() : nullptr,
              .huge = memory.usually_huge()});
  draw_charts(area.part(plan.picture), shown);
}

}  // namespace

void draw_detail(Canvas& canvas, const Rect& rect, Border border, const PipelineState& state) {
  if (const Stage* stage = selected_stage(state)) {
    const auto title = stage_title(*stage);
    draw_stage_detail(draw_panel(canvas, border, rect, title, is_focused(state)), state, *stage);
  } else if (const Pipe* pipe = selected_pipe(state)) {
    const auto title = ring_title_of(state, *pipe);
    draw_ring_detail(draw_panel(canvas, border, rect, title, is_focused(state)), state.ring,
                     ring_shown(state, selected_item(state)->index));
  }
}

Rect detail_list(const Rect& panel, Border border, const PipelineState& state) {
  if (panel.empty() || !selected_stage(state)) return {};
  const Rect list = inside(border, panel);
  const int above = rows_above_list(list.rows);
  return {list.row + above, list.col, list.rows - above, list.cols};
}

std::optional<DetailSlots> detail_slots(const Rect& panel, Border border,
                                        const PipelineState& state) {
  if (panel.empty() || !selected_pipe(state)) return std::nullopt;
  const RingFrame* frame = ring_shown(state, selected_item(state)->index).memory.frame();
  if (!frame) return std::nullopt;
  const Rect area = inside(border, panel);
  const RingLayout plan = ring_plan(area.rows, area.cols, *frame, state.ring);
  return plan.strip.empty() ? std::nullopt : std::optional(DetailSlots{*frame, area, plan});
}

}  // namespace pipetop::tui

#include "tui/watch/pipeline_view.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tui/draw/text.h"
#include "tui/state/pipe_words.h"
#include "tui/watch/detail_view.h"

namespace pipetop::tui {
namespace {

struct KindMark {
  Bottleneck::Kind kind;
  std::string_view sign;
  Style style;
};
constexpr std::array<KindMark, 8> kKindMarks = {{
    {Bottleneck::Kind::unknown, "…", Style::dim},
    {Bottleneck::Kind::idle, "-", Style::dim},
    {Bottleneck::Kind::stage, "!", Style::warning},
    {Bottleneck::Kind::outside, "<", Style::mark},
    {Bottleneck::Kind::balanced, "=", Style::good},
    {Bottleneck::Kind::bursty, "*", Style::mark},
    {Bottleneck::Kind::deadlock, "X", Style::error},
    {Bottleneck::Kind::stopped, "T", Style::warning},
}};
static_assert(in_order(kKindMarks, &KindMark::kind));

// A line each if they fit, else one after the other.
void draw_evidence(const Area& area, const std::vector<std::string>& evidence) {
  const bool each = static_cast<int>(evidence.size()) <= area.rows() &&
                    std::ranges::all_of(evidence, [&](const std::string& clause) {
                      return columns_of(clause) <= area.cols();
                    });
  if (!each) {
    const std::string text = fmt::format("{}", fmt::join(evidence, "; "));
    if (area.rows() == 1)
      area.put(0, 0, whole_clauses(text, area.cols()), Style::plain);
    else
      wrap(area, text, Style::plain);
    return;
  }
  for (size_t i = 0; i < evidence.size(); ++i)
    area.put(static_cast<int>(i), 0, evidence[i], Style::plain);
}

constexpr int kLeastDetail = 9;   // rows
constexpr int kBesideCols = 150;  // from which on chain and detail are beside each other
constexpr int kBoxedCols = 72;

// "bash 1200 holds the write end of pipe 8123, too, and never moved a byte".
std::string holder_text(const Pipeline& pipeline, const ChainItem& item) {
  const Stage& stage = pipeline.stages[item.index];
  const Pipe& pipe = pipeline.pipes[item.pipe];
  const auto holds = [&](const std::vector<StageEnd>& ends) {
    return std::ranges::any_of(
        ends, [&](const StageEnd& end) { return end.stage == item.index && !end.active; });
  };
  const bool writes = holds(pipe.writers), reads = holds(pipe.readers);
  return fmt::format("{} {} holds {} of {}, but never moved a byte", stage.name, stage.id.pid,
                     writes && reads ? "both ends"
                     : writes        ? "a write end"
                                     : "a read end",
                     name_of(pipe));
}

// Of the last one on the screen: how many there is no room for.
std::string holder_text(const PipelineState& state, const ChainLayout& items,
                        const ChainItem& item) {
  const bool last = &item == &state.chain.items[items.items.back().item];
  if (!last || items.holders_left == 0) return holder_text(state.shown(), item);
  return fmt::format("{} more hold an end, but never moved a byte", items.holders_left);
}

void draw_item(Canvas& canvas, const Rect& rect, const PipelineLayout& layout,
               const PipelineState& state, const ChainItem& item) {
  const Area area(canvas, rect);
  switch (item.kind) {
    case ChainItem::Kind::stage: {
      const StageShown shown = stage_shown(state, item.index);
      if (layout.items.form == ChainLayout::Form::lines)
        draw_stage_line(area, shown);
      else
        draw_stage_box(canvas, rect, shown);
      return;
    }
    case ChainItem::Kind::ring: {
      const RingShown shown = ring_shown(state, item.index);
      if (layout.items.form == ChainLayout::Form::across)
        draw_ring_between(area, shown);
      else
        draw_ring_line(area, shown);
      return;
    }
    case ChainItem::Kind::holder:
      area.put(0, 1, whole_clauses(holder_text(state, layout.items, item), area.cols() - 1),
               Style::dim);
  }
}

// How many are above and below, in the area's last column.
void draw_more(const Area& area, const ChainLayout& items) {
  const auto put = [&](int row, const char* sign, size_t count) {
    if (count == 0) return;
    const std::string text = fmt::format("{} {} more", sign, count);
    area.put(row, std::max(0, area.cols() - columns_of(text) - 1), text, Style::mark);
  };
  put(0, "▴", items.above);
  put(area.rows() - 1, "▾", items.below);
}

bool is_wide(const Rect& body, const ChainLayout& items) {
  return body.cols >= kBesideCols && items.form != ChainLayout::Form::across;
}

}  // namespace

void draw_verdict(const Area& area, const Bottleneck& bottleneck) {
  if (area.empty()) return;
  const KindMark& mark = kKindMarks[static_cast<size_t>(bottleneck.kind)];
  const bool known = bottleneck.kind != Bottleneck::Kind::unknown;
  area.put(0, 1, mark.sign, {mark.style, known ? kReverse : kNone});
  const Area text = area.part({0, 3, area.rows(), area.cols() - 4});
  const std::string line = bottleneck.line.empty() ? "not known yet" : bottleneck.line;
  int used = 1;
  if (columns_of(line) <= text.cols())
    text.put(0, 0, line, {mark.style, known ? kBold : kNone});
  else if (area.rows() == 1)
    text.put(0, 0, whole_clauses(line, text.cols()), mark.style);
  else
    used = wrap(text.from_row(0, 2), line, mark.style);
  if (!bottleneck.evidence.empty() && used < text.rows())
    draw_evidence(text.from_row(used), bottleneck.evidence);
}

PipelineLayout pipeline_layout(const Rect& body, int screen_rows, const PipelineState& state) {
  PipelineLayout layout;
  const int verdict = std::min(verdict_rows(screen_rows), body.rows);
  layout.verdict = {body.row, body.col, verdict, body.cols};
  const Rect rest = {body.row + verdict, body.col, body.rows - verdict, body.cols};
  layout.border = screen_rows >= 22 && body.cols >= kBoxedCols ? Border::box : Border::rule;
  if (state.focus == PipelineFocus::whole) {
    layout.detail = rest;
    return layout;
  }
  const auto lay_out = [&](const Rect& rect) {
    layout.chain = rect;
    const auto in_rows = [&](int rows) {
      return chain_layout(state.chain, rows, rect.cols, state.at, state.scroll);
    };
    layout.items = in_rows(rect.rows);
    // The first and the last row say how many there are above and below.
    if (layout.items.above + layout.items.below > 0) layout.items = in_rows(rect.rows - 1);
    if (layout.items.above > 0 && layout.items.below > 0) layout.items = in_rows(rect.rows - 2);
    const int down = layout.items.above > 0 ? 1 : 0;
    for (PlacedItem& placed : layout.items.items) {
      placed.rect.row += rect.row + down;
      placed.rect.col += rect.col;
    }
  };
  lay_out(rest);
  if (is_wide(rest, layout.items)) {
    const int cols = rest.cols * 11 / 20;
    layout.detail = {rest.row, rest.col + cols + 1, rest.rows, rest.cols - cols - 1};
    lay_out({rest.row, rest.col, rest.rows, cols});
    return layout;
  }
  const int least = least_chain_rows(state.chain, rest.cols);
  if (rest.rows < least + kLeastDetail) return layout;
  const int most = std::max(least, std::min(layout.items.rows, rest.rows - kLeastDetail));
  lay_out({rest.row, rest.col, most, rest.cols});
  const int used = std::min(most, layout.items.rows);
  layout.chain.rows = used;
  layout.detail = {rest.row + used, rest.col, rest.rows - used, rest.cols};
  return layout;
}

void draw_pipeline(Canvas& canvas, const PipelineLayout& layout, const PipelineState& state,
                   std::string_view waiting_for) {
  if (!state.has_pipeline()) {
    const Rect& all = layout.verdict;
    wrap(Area(canvas, {all.row + 1, 2, 3, all.cols - 4}), waiting_for, Style::dim);
    return;
  }
  draw_verdict({canvas, layout.verdict}, state.shown().bottleneck);
  if (!layout.chain.empty()) {
    for (const PlacedItem& placed : layout.items.items)
      draw_item(canvas, placed.rect, layout, state, state.chain.items[placed.item]);
    draw_more({canvas, layout.chain}, layout.items);
  }
  if (!layout.detail.empty()) draw_detail(canvas, layout.detail, layout.border, state);
}

}  // namespace pipetop::tui

#include "engine/workload/table/workloads.h"
#include "tui/dashboard/messages.h"
#include "tui/dashboard/view.h"
#include "tui/watch/pipeline_view.h"

namespace pipetop::tui {
namespace {

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

void follow(PipelineState& pipeline, const Snapshot& shown, const DashboardState& view) {
  const bool same = pipeline.snapshot && pipeline.snapshot->now_ns == shown.now_ns;
  if (!same) {
    // What a replay goes back to is older than what the rings remember.
    if (pipeline.snapshot && shown.now_ns < pipeline.snapshot->now_ns) pipeline.rings.clear();
    const auto now = std::make_shared<Snapshot>();
    now->now_ns = shown.now_ns;
    now->watched = pipeline_of(shown, unit_of(shown.requested).count);
    if (shown.verdict.has_value()) now->watched->verdict.because = verdict_text(*shown.verdict);
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

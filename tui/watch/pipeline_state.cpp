#include "tui/watch/pipeline_state.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "tui/draw/numbers.h"
#include "tui/watch/thread_list.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {
namespace {

void remember(PipelineState& state) {
  const std::vector<Pipe>& pipes = state.shown().pipes;
  std::erase_if(state.rings, [&](const auto& entry) {
    return std::ranges::find(pipes, entry.first, &Pipe::id) == pipes.end();
  });
  for (const Pipe& pipe : pipes) state.rings[pipe.id].update(pipe, state.snapshot->now_ns);
}

// The selected one, wherever it is by now; else what holds the pipeline up.
size_t find_selected(const PipelineState& state) {
  const Pipeline& pipeline = state.shown();
  const auto nodes = state.chain.nodes();
  const std::optional<ProcessId>& blamed = pipeline.verdict.stage;
  const std::optional<Node> wanted = state.selected ? state.selected
                                     : blamed       ? std::optional<Node>(*blamed)
                                                    : std::nullopt;
  for (size_t i = 0; wanted && i < nodes; ++i)
    if (node_of(pipeline, state.chain.items[i]) == *wanted) return i;
  return std::min(state.selected ? state.at : 0, nodes > 0 ? nodes - 1 : 0);
}

std::string_view blame_text(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::writer:
    case Verdict::Kind::reader:
    case Verdict::Kind::stage:
      return "bottleneck";
    case Verdict::Kind::outside:
      return "limited from outside";
    case Verdict::Kind::stopped:
      return "is stopped";
    case Verdict::Kind::deadlock:
      return "is in a deadlock";
    default:
      return "";
  }
}

// What a stage waits for, without stacks: they are of our own workers only. Shares of a second.
Reading<BlockedTable> waits_of(const TimeShares& shares) {
  const Reading<Waits>& waits = shares.waits;
  if (!waits.has_value()) return {waits.status, {}, waits.reason};
  std::vector<FunctionRow> rows;
  const auto add = [&](WaitsFor wait, double share) {
    const auto ns = static_cast<uint64_t>(share * double(kSecond));
    if (ns > 0) rows.push_back({does_of(wait), ns, ns});
  };
  add(WaitsFor::pipe_read, waits->reading);
  add(WaitsFor::pipe_write, waits->writing);
  for (size_t i = 0; i < kWaits; ++i) add(static_cast<WaitsFor>(i), waits->elsewhere[i]);
  BlockedTable blocked;
  for (const FunctionRow& row : rows) blocked.ns += row.self_samples;
  blocked.tree = flat_tree(rows);
  return Reading<BlockedTable>::of(std::move(blocked));
}

// What a stage does now, or did in a segment, as its list shows it.
SegmentRole listed(const TimeShares& shares, const Reading<FunctionTable>& functions) {
  return {.shares = shares, .functions = functions, .blocked = waits_of(shares)};
}

}  // namespace

void update(PipelineState& state, const PipelineState::Shared& now, uint64_t hold_ns) {
  const auto shown = std::make_shared<Snapshot>(*now);
  state.held.hold(*shown, hold_ns);
  state.snapshot = shown;
  if (!state.has_pipeline()) return;
  state.chain = make_chain(state.shown());
  state.at = find_selected(state);
  remember(state);
  if (state.kept) state.since_kept = change_since(*state.kept, *state.snapshot);
  refresh_functions(state);
}

Reference reference_of(const PipelineState& state) {
  if (state.kept) return {state.kept->segment, true};
  return {state.snapshot->throughput.previous};
}

bool lists_threads(const PipelineState& state) {
  const Stage* stage = selected_stage(state);
  return state.wants_threads && stage && !stage->thread_list.empty();
}

void refresh_functions(PipelineState& state) {
  const Stage* stage = selected_stage(state);
  if (!stage) return void(state.functions.contents = {});
  if (state.functions_of != stage->id) {
    state.functions_of = stage->id;
    state.functions = {};
  }
  if (lists_threads(state))
    return list_threads(state.functions.contents, *stage, state.choice.filter);
  const Reference reference = reference_of(state);
  std::optional<SegmentRole> before;
  if (reference.segment)
    for (const SegmentRole& other : reference.segment->stages)
      if (other.id == stage->id) before = listed(other.shares, other.functions);
  refresh(state.functions.contents, listed(time_shares(stage->shares), stage->functions),
          before ? &*before : nullptr, reference.name(), state.choice,
          state.functions.folds_in(state.choice));
}

const ChainItem* selected_item(const PipelineState& state) {
  return state.has_pipeline() && state.at < state.chain.nodes() ? &state.chain.items[state.at]
                                                                : nullptr;
}

const Stage* selected_stage(const PipelineState& state) {
  const ChainItem* item = selected_item(state);
  return item && item->kind == ChainItem::Kind::stage ? &state.shown().stages[item->index]
                                                      : nullptr;
}

const Pipe* selected_pipe(const PipelineState& state) {
  const ChainItem* item = selected_item(state);
  return item && item->kind == ChainItem::Kind::ring ? &state.shown().pipes[item->index] : nullptr;
}

bool is_chosen(const PipelineState& state) {
  const ChainItem* item = selected_item(state);
  return item && state.selected == node_of(state.shown(), *item);
}

void select(PipelineState& state, size_t item) {
  const size_t nodes = state.chain.nodes();
  if (!state.has_pipeline() || nodes == 0) return;
  const size_t to = std::min(item, nodes - 1);
  const Node node = node_of(state.shown(), state.chain.items[to]);
  if (state.selected != node) state.ring = {};
  state.at = to;
  state.selected = node;
  refresh_functions(state);
}

void move_selection(PipelineState& state, int by) {
  const auto last = static_cast<int>(state.chain.nodes()) - 1;
  if (last < 0) return;
  const int from = static_cast<int>(state.at);
  select(state, static_cast<size_t>(std::clamp(from + std::clamp(by, -last, last), 0, last)));
}

StageShown stage_shown(const PipelineState& state, size_t stage) {
  const Pipeline& pipeline = state.shown();
  const Stage& view = pipeline.stages[stage];
  return {.stage = view,
          .selected = selected_stage(state) == &view,
          .blame = pipeline.verdict.stage == view.id ? blame_text(pipeline.verdict.kind) : "",
          .cpus = state.cpus,
          .hottest = &state.hottest};
}

RingShown ring_shown(const PipelineState& state, size_t pipe) {
  static const RingMemory kNothing;
  const Pipeline& pipeline = state.shown();
  const Pipe& view = pipeline.pipes[pipe];
  const auto memory = state.rings.find(view.id);
  std::string ends = view.socket ? name_of(view) : view.path;
  if (!state.chain.straight) {
    ends = fmt::format("{} → {}", ends_text(view, pipeline.stages, Role::writer),
                       ends_text(view, pipeline.stages, Role::reader));
    if (view.socket) ends += fmt::format(" ({})", name_of(view));
    if (!view.path.empty()) ends += " (" + view.path + ")";
  }
  return {.pipe = view,
          .memory = memory == state.rings.end() ? kNothing : memory->second,
          .now_ns = state.snapshot->now_ns,
          .selected = selected_pipe(state) == &view,
          .instant = state.frozen,
          .factor = factor_of(*state.snapshot, view.id),
          .ends = std::move(ends)};
}

std::string factor_of(const Snapshot& snapshot, PipeId pipe) {
  const auto newest = std::ranges::find(snapshot.interventions.rbegin(),
                                        snapshot.interventions.rend(), pipe, &Intervention::pipe);
  if (newest == snapshot.interventions.rend()) return {};
  const auto &before = newest->before_bytes_per_s, &after = newest->after_bytes_per_s;
  if (!before || !after) return "…";
  return *before > 0 ? ratio_text(*after / *before) : std::string();
}

}  // namespace pipetop::tui

#include "tui/watch/watch_bars.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/watch/watch_controller.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {
namespace {

constexpr int kWideTitle = 100;

std::string counted(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped_text(count), count == 1 ? one : many);
}

std::string_view sort_name(PipeSort sort) {
  return sort == PipeSort::queued ? "bytes in it" : pipe_sort_names()[static_cast<size_t>(sort)];
}

// Most important first: what doesn't fit is left out.
std::vector<TitlePart> table_parts(const WatchState& state) {
  const TableState& table = state.table;
  std::vector<TitlePart> parts = {{counted(table.rows.pipes(), "pipe", "pipes"), Style::value}};
  if (table.rows.hidden() > 0)
    parts.push_back({grouped_text(table.rows.hidden()) + " hidden", Style::plain});
  if (!table.choice.filter.empty()) parts.push_back({"/" + table.choice.filter, Style::mark});
  parts.push_back(
      {fmt::format("{}by {}", table.choice.tree ? "tree " : "", sort_name(table.choice.sort)),
       Style::plain});
  if (state.shown && state.shown->socketpairs)
    parts.push_back({counted(*state.shown->socketpairs, "socketpair", "socketpairs") + " left out",
                     Style::dim});
  if (state.shown && state.shown->scan_ms > 0)
    parts.push_back({fmt::format("a look takes {:.1f} ms", state.shown->scan_ms), Style::dim});
  return parts;
}

// What shares are of; it grows at first.
std::string window_text(uint64_t ns) {
  if (ns < kSecond) return "shares of the first second";
  return fmt::format("shares of the last {} s", (ns + kSecond / 2) / kSecond);
}

std::vector<TitlePart> pipeline_parts(const WatchState& state) {
  if (!state.pipeline.has_pipeline()) return {{state.command, Style::title}};
  const Pipeline& pipeline = state.pipeline.shown();
  std::vector<TitlePart> parts = {
      {state.command.empty() ? pipeline.title() : state.command, Style::title}};
  if (pipeline.window_ns > 0) parts.push_back({window_text(pipeline.window_ns), Style::dim});
  return parts;
}

std::vector<TitlePart> badges_of(const WatchState& state) {
  std::vector<TitlePart> badges;
  if (state.frozen) badges.push_back({" FROZEN ", {Style::warning, kReverse}});
  if (!state.shown) return badges;
  if (state.shown->counts_bytes) badges.push_back({" EXACT ", {Style::warning, kReverse}});
  if (!state.shown->interventions.empty())
    badges.push_back(
        {fmt::format(" {} CHANGED ", state.shown->interventions.size()), {Style::mark, kReverse}});
  if (state.shown->source == ScanSource::proc)
    badges.push_back({" NO BPF ", {Style::warning, kReverse}});
  return badges;
}

KeyItem item(std::string keys, std::string text, std::vector<Key> presses, int rank,
             Lamp lamp = Lamp::none) {
  return {.keys = std::move(keys),
          .text = std::move(text),
          .presses = std::move(presses),
          .lamp = lamp,
          .rank = rank};
}

Lamp lamp_of(bool on) { return on ? Lamp::on : Lamp::off; }

void add_change_items(std::vector<KeyItem>& items, const WatchState& state) {
  const bool changed = state.shown && !state.shown->interventions.empty();
  const bool exact = state.shown && state.shown->counts_bytes;
  items.push_back(item("{ }", "ring size", {U'{', U'}'}, 3));
  if (state.in_pipeline) {
    items.push_back(item("n", "nice", {U'n'}, 3));
    items.push_back(item("c", "pin", {U'c'}, 3));
  }
  items.push_back(item("u", "undo", {U'u'}, changed ? 1 : 5));
  items.push_back(item("0", "put back", {U'0'}, changed ? 1 : 5));
  if (state.in_pipeline) items.push_back(item("x", "exact bytes", {U'x'}, 4, lamp_of(exact)));
  items.push_back(item("Space", state.frozen ? "resume" : "freeze", {U' '}, 2));
}

void add_table_items(std::vector<KeyItem>& items, const WatchState& state) {
  const TableChoice& choice = state.table.choice;
  items.push_back(item("Enter", "pipeline", {key::enter}, 1));
  items.push_back(item("< >", "sort", {U'<', U'>'}, 1));
  items.push_back(item("t", "tree", {U't'}, 1, lamp_of(choice.tree)));
  items.push_back(item("i", "idle", {U'i'}, 1, lamp_of(choice.all)));
  items.push_back(item("/", "filter", {U'/'}, 1));
}

void add_pipeline_items(std::vector<KeyItem>& items, const WatchState& state) {
  const PipelineState& pipeline = state.pipeline;
  const bool stage = selected_stage(pipeline) != nullptr;
  if (state.place() == kInChain) {
    if (state.command.empty()) items.push_back(item("Esc", "table", {key::escape}, 0));
    items.push_back(item("Enter", stage ? "functions" : "slots", {key::enter}, 1));
    items.back().widest = columns_of("functions");
    items.push_back(item("j k", "select", {U'j', U'k'}, 2));
    items.push_back(item("Tab", "panel", {key::tab}, 2));
    return;
  }
  items.push_back(item("Esc", "back", {key::escape}, 0));
  items.push_back(
      item("Tab", pipeline.focus == PipelineFocus::whole ? "next" : "panel", {key::tab}, 1));
  if (!stage) return;
  items.push_back(item("f", pipeline.choice.form == ListForm::flat ? "tree" : "flat", {U'f'}, 2));
  items.push_back(item("/", "filter", {U'/'}, 3));
}

}  // namespace

std::vector<KeyItem> watch_key_items(const WatchState& state) {
  std::vector<KeyItem> items;
  if (state.in_pipeline)
    add_pipeline_items(items, state);
  else
    add_table_items(items, state);
  add_change_items(items, state);
  return items;
}

void draw_watch_title(const Area& area, const WatchState& state) {
  int right = area.cols() - 1;
  for (const TitlePart& badge : badges_of(state)) {
    right -= columns_of(badge.text);
    area.put(0, right, badge.text, badge.ink);
    --right;
  }
  const bool named = area.cols() >= (state.in_pipeline ? kWideTitle : 0);
  int col = area.put(0, 1, named ? "pipetop watch" : "pipetop", Style::title) + 2;
  bool first = true;
  for (const TitlePart& part : state.in_pipeline ? pipeline_parts(state) : table_parts(state)) {
    const int gap = first ? 0 : 3;
    const bool fits = col + gap + columns_of(part.text) + 1 <= right;
    if (!fits && !first) continue;
    if (!first) area.put(0, col, " · ", Style::dim);
    col = area.put_fitted(0, col + gap, right - 1 - col - gap, part.text, part.ink);
    first = false;
  }
}

}  // namespace pipetop::tui

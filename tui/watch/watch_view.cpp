#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/watch/pipeline_view.h"
#include "tui/watch/table.h"
#include "tui/watch/tree_page.h"
#include "tui/watch/watch_controller.h"
#include "tui/widgets/frame.h"
#include "tui/widgets/pages.h"
#include "tui/widgets/pipes.h"
#include "tui/widgets/transport.h"

namespace pipetop::tui {
namespace {

// ---- messages ----

constexpr uint64_t kNoticeStay_ns = 10'000'000'000;
constexpr uint64_t kTurn_ns = 8'000'000'000;

// The descriptors of all processes at an end, with whole command lines.
std::string commands_text(const PipeRow& row, const std::vector<StageEnd>& ends) {
  std::string text;
  constexpr size_t kNamedAtMost = 16;
  size_t named = 0;
  for (const StageEnd& end : ends) {
    if (end.stage >= row.stages.size()) continue;
    if (named++ == kNamedAtMost)
      return fmt::format("{} and {} more", text, ends.size() - kNamedAtMost);
    const Stage& stage = row.stages[end.stage];
    text += fmt::format("{}{} (pid {}, fd {}{})", text.empty() ? "" : ", ",
                        stage.command.empty() ? stage.name : stage.command, stage.id.pid,
                        end.end.fd, end.active ? "" : ", idle");
  }
  return text.empty() ? "unknown" : text;
}

std::string row_text(const PipeRow& row) {
  return fmt::format("{}: {} → {}", name_of(row.pipe), commands_text(row, row.pipe.writers),
                     commands_text(row, row.pipe.readers));
}

// What is selected in the pipeline.
std::string selected_text(const PipelineState& state) {
  if (const Stage* stage = selected_stage(state))
    return fmt::format("{} (pid {}{}{})", stage->command, stage->id.pid,
                       stage->shares.has_value() ? "" : ", ", why_of(stage->shares.reason));
  if (const Pipe* pipe = selected_pipe(state)) {
    const auto& stages = state.shown().stages;
    return fmt::format("{}: {} → {}", name_of(*pipe), ends_text(*pipe, stages, Role::writer),
                       ends_text(*pipe, stages, Role::reader));
  }
  return {};
}

std::string selected_text(const WatchState& state) {
  if (state.in_pipeline) return selected_text(state.pipeline);
  const PipeRow* row = selected_row(state.table);
  return row ? row_text(*row) : std::string();
}

// Since when the picture stands still, and why.
std::optional<Message> staleness(const WatchState& state) {
  if (!state.shown || state.shown->stale_because.empty()) return {};
  const uint64_t since_ns = std::min(state.shown->stale_since_ns, state.now_ns);
  return Message{fmt::format("as of {} ago, tried again: {}", age_text(state.now_ns - since_ns),
                             state.shown->stale_because),
                 Severity::warning};
}

// What holds for as long as the screen does, or until a key ends it.
std::vector<Message> standing(const WatchState& state) {
  std::vector<Message> all;
  if (!state.shown) return all;
  const Snapshot& s = *state.shown;
  if (auto stale = staleness(state)) all.push_back(std::move(*stale));
  if (!s.no_bpf.empty()) all.push_back({s.no_bpf, Severity::warning});
  if (s.counts_bytes) all.push_back({std::string(price_of_counting()), Severity::warning});
  // The newest first: it is what u undoes.
  for (size_t i = s.interventions.size(); i-- > 0;) {
    const Intervention& change = s.interventions[i];
    const bool last = i + 1 == s.interventions.size();
    all.push_back(
        change.waits.empty()
            ? Message{fmt::format("{}changed: {}{}", last ? "" : "before that ", change.text,
                                  last && !state.recorded ? "; u undoes it, 0 all" : "")}
            : Message{fmt::format("not put back: {}: {}", change.text, change.waits),
                      Severity::warning});
  }
  if (!s.table.left_out.empty())
    all.push_back({left_out_text(s.table.left_out), Severity::warning});
  if (s.table.unreadable > 0)
    all.push_back({fmt::format("{} processes of other users cannot be read; sudo pipetop watch",
                               grouped_text(s.table.unreadable))});
  return all;
}

std::optional<Message> newest(const WatchState& state) {
  if (state.notices.empty()) return std::nullopt;
  const Notice& notice = state.notices.back();
  if (state.now_ns >= notice.at_ns + kNoticeStay_ns) return std::nullopt;
  return Message{notice.text, notice.severity};
}

const std::optional<std::string>& filter_before(const WatchState& state) {
  return state.in_pipeline ? state.pipeline.choice.filter_before : state.table.filter_before;
}

const std::string& filter(const WatchState& state) {
  return state.in_pipeline ? state.pipeline.choice.filter : state.table.choice.filter;
}

// ---- title ----

constexpr int kWideTitle = 100;

std::string counted(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped_text(count), count == 1 ? one : many);
}

std::string_view sort_name(PipeSort sort) {
  return sort == PipeSort::queued ? "queued" : pipe_sort_names()[static_cast<size_t>(sort)];
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
  if (state.shown && state.shown->table.idle_sockets)
    parts.push_back(
        {counted(*state.shown->table.idle_sockets, "idle socket", "idle sockets") + " left out",
         Style::dim});
  if (state.shown && state.shown->table.scan_ms > 0)
    parts.push_back({fmt::format("scan {:.1f} ms", state.shown->table.scan_ms), Style::dim});
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

// ---- keys ----

KeyItem item(std::string keys, std::string text, std::vector<Key> presses, int rank,
             Lamp lamp = Lamp::none) {
  return {.keys = std::move(keys),
          .text = std::move(text),
          .presses = std::move(presses),
          .lamp = lamp,
          .rank = rank};
}

Lamp lamp_of(bool on) { return on ? Lamp::on : Lamp::off; }

void add_list_items(std::vector<KeyItem>& items, const PipelineState& pipeline) {
  if (selected_stage(pipeline)) {
    const bool waits = pipeline.choice.activity == Activity::waiting;
    items.push_back(item("w", waits ? "running" : "waiting", {U'w'}, 3));
  }
  items.push_back(item("a", pipeline.kept ? "drop A" : "compare", {U'a'}, pipeline.kept ? 1 : 4));
  items.back().widest = columns_of("compare");
  if (!pipeline.log.open) items.push_back(item("L", "log", {U'L'}, 4));
}

void add_change_items(std::vector<KeyItem>& items, const WatchState& state) {
  const bool changed = state.shown && !state.shown->interventions.empty();
  const bool exact = state.shown && state.shown->counts_bytes;
  items.push_back(item("{ }", "ring size", {U'{', U'}'}, 3));
  items.push_back(item("u", "undo", {U'u'}, changed ? 1 : 5));
  items.push_back(item("0", "put back", {U'0'}, changed ? 1 : 5));
  if (changed) items.push_back(item("K", "keep", {U'K'}, 2));
  if (state.in_pipeline) items.push_back(item("x", "exact bytes", {U'x'}, 4, lamp_of(exact)));
  if (state.in_pipeline && has_tree(state))
    items.push_back(item("T", "tree", {U'T'}, 3, lamp_of(state.tree.open)));
  items.push_back(item("Space", state.frozen ? "resume" : "freeze", {U' '}, 2));
}

void add_table_items(std::vector<KeyItem>& items, const WatchState& state) {
  const TableChoice& choice = state.table.choice;
  items.push_back(item("Enter", "pipeline", {key::enter}, 1));
  items.push_back(item("< >", "sort", {U'<', U'>'}, 1));
  items.push_back(item("t", "tree", {U't'}, 1, lamp_of(choice.tree)));
  items.push_back(item("i", "idle", {U'i'}, 1, lamp_of(choice.all)));
  items.push_back(item("s", "sockets", {U's'}, 2, lamp_of(choice.sockets != SocketRows::none)));
  items.push_back(item("/", "filter", {U'/'}, 1));
}

void add_pipeline_items(std::vector<KeyItem>& items, const WatchState& state) {
  const PipelineState& pipeline = state.pipeline;
  const Stage* const stage = selected_stage(pipeline);
  if (pipeline.log.open) items.push_back(item("L", "close the log", {U'L'}, 0));
  if (state.place() == kInChain) {
    if (state.command.empty() && !state.recorded)
      items.push_back(item("Esc", "table", {key::escape}, 0));
    const char* const inside = !stage                        ? "slots"
                               : !stage->thread_list.empty() ? "threads"
                                                             : "functions";
    items.push_back(item("Enter", inside, {key::enter}, 1));
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

// ---- pages and body ----

constexpr ScreenKey kWords[] = {
    {"ring", "a pipe's buffer: a fixed number of slots, filled and drained in a circle"},
    {"stage", "a process of a pipeline, with all of its threads"},
    {"full, empty", "share of the samples in which the ring was full, or empty"},
    {"~", "estimated from the ring's movement; x counts exactly"},
    {"on CPU", "share of the time on a CPU, of the thread that moves the data"},
    {"runnable", "able to run, but waiting for a CPU"},
    {"reading", "blocked in a read: the ring before it is empty"},
    {"writing", "blocked in a write: the ring behind it is full"},
    {"disk, lock ..", "blocked in something else than a pipe"},
    {"socket", "one direction of a connection: TCP, or AF_UNIX"},
    {"internal", "both ends are held by one process, as event loops do"},
    {"idle", "no data moves, and no writer is blocked"},
    {"left out", "sockets that nobody was seen to move data through"},
};

std::string waiting_text(const WatchState& state) {
  return state.command.empty() ? "Scanning the pipeline ..."
                               : "The command has no pipe yet; waiting for one. q leaves.";
}

}  // namespace

bool has_tree(const WatchState& state) { return state.shown && state.shown->table.tree; }

void draw_watched(Canvas& canvas, const WatchState& state, const Rect& body) {
  if (state.in_pipeline && state.tree.open && has_tree(state)) {
    draw_tree(canvas, body, *state.shown->table.tree, state.tree.scroll);
  } else if (state.in_pipeline) {
    const PipelineLayout places = pipeline_layout(body, canvas.rows(), state.pipeline);
    draw_pipeline(canvas, places, state.pipeline, waiting_text(state));
  } else if (state.shown) {
    draw_table({canvas, body}, state.table, state.shown->now_ns);
  }
}

std::vector<TitlePart> badges_of(const WatchState& state) {
  std::vector<TitlePart> badges = recording_badges(state.replay, state.recording);
  if (state.frozen) badges.push_back({" FROZEN ", {Style::warning, kReverse}});
  if (!state.shown) return badges;
  if (!state.shown->stale_because.empty())
    badges.push_back({" STALE ", {Style::warning, kReverse}});
  if (state.shown->counts_bytes) badges.push_back({" EXACT ", {Style::warning, kReverse}});
  if (!state.shown->interventions.empty())
    badges.push_back(
        {fmt::format(" {} CHANGED ", state.shown->interventions.size()), {Style::mark, kReverse}});
  if (state.shown->table.source == ScanSource::proc)
    badges.push_back({" NO BPF ", {Style::warning, kReverse}});
  return badges;
}

std::string_view price_of_counting() {
  return "exact: every system call of this machine takes 0.2 to 0.3 us longer; x stops";
}

std::vector<Message> messages_of(const WatchState& state) {
  std::vector<Message> all;
  if (!state.message.empty()) all.push_back({state.message, state.severity});
  for (auto notice = state.notices.rbegin(); notice != state.notices.rend(); ++notice)
    all.push_back({notice->text, notice->severity});
  for (Message& message : standing(state)) all.push_back(std::move(message));
  if (std::string text = selected_text(state); !text.empty()) all.push_back({std::move(text)});
  return all;
}

Message message_of(const WatchState& state) {
  if (filter_before(state)) return {filter_prompt(filter(state))};
  if (!state.message.empty()) return {state.message, state.severity};
  if (auto damage = damage_message(state.replay)) return *damage;
  if (state.shown && state.shown->answer)
    return {state.shown->answer->text, state.shown->answer->severity};
  if (const auto stale = staleness(state)) return *stale;
  if (const auto notice = newest(state)) return *notice;
  std::vector<Message> turns = standing(state);
  if (std::string text = selected_text(state); !text.empty()) turns.push_back({std::move(text)});
  if (turns.empty()) return {};
  return turns[state.now_ns / kTurn_ns % turns.size()];
}

std::vector<KeyItem> watch_key_items(const WatchState& state) {
  std::vector<KeyItem> items;
  if (state.in_pipeline)
    add_pipeline_items(items, state);
  else
    add_table_items(items, state);
  if (!state.recorded) {
    add_change_items(items, state);
  } else if (state.replay) {
    const std::vector<KeyItem> transport = transport_items(*state.replay);
    items.insert(items.begin(), transport.begin(), transport.end());
  }
  if (state.in_pipeline) add_list_items(items, state.pipeline);
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

HelpContents help_of(const WatchState& state) {
  return {.screen_keys = watch_keys(state.place(), state.recorded), .words = kWords};
}

WatchLayout watch_layout(int rows, int cols, bool time_line) {
  WatchLayout layout{frame_of(rows, cols, (cols >= 126 ? 1 : 2) + (time_line ? 1 : 0))};
  if (layout.fits && time_line) layout.time_line = {rows - 1, 0, 1, cols}, --layout.keys.rows;
  return layout;
}

void draw(Canvas& canvas, const WatchState& state) {
  const WatchLayout layout = watch_layout(canvas.rows(), canvas.cols(), state.replay != nullptr);
  if (!layout.fits) return draw_too_small(canvas);
  draw_watch_title({canvas, layout.title}, state);
  draw_watched(canvas, state, layout.body);
  draw_message(canvas, layout.message, message_of(state));
  draw_keys({canvas, layout.keys}, place_keys(layout.keys, watch_key_items(state)));
  if (state.replay) draw_time_line({canvas, layout.time_line}, *state.replay);
  if (state.messages.open) draw_messages(canvas, messages_of(state), state.messages.scroll);
  if (state.help.open) draw_help(canvas, help_of(state), state.help.scroll);
  if (state.question) draw_question(canvas, *state.question);
  if (state.leaving)
    draw_question(canvas, leaving_question(state.shown ? state.shown->interventions
                                                       : std::span<const Intervention>()));
}

}  // namespace pipetop::tui

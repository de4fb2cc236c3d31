// The meaning of keys, a row for each in the order of the help page, and what they do.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/base/error.h"
#include "tui/state/list_state.h"
#include "tui/watch/pipeline_view.h"
#include "tui/watch/watch_controller.h"
#include "tui/watch/watch_messages.h"

namespace pipetop::tui {

struct WatchController::Keymap {
  using C = WatchController;
  using enum Outcome;
  static constexpr int kAll = 1 << 20;
  static constexpr uint8_t kChainOrDetail = kInChain | kInDetail;
  static constexpr Binding kRows[] = {
      {U'j', &C::move, 1, kAnywhere, {"j k", "select; the arrow keys do, too"}},
      {key::down, &C::move, 1},
      {U'k', &C::move, -1},
      {key::up, &C::move, -1},
      {key::right, &C::step, 1, kChainOrDetail},
      {key::left, &C::step, -1, kChainOrDetail},
      {key::page_down, &C::page, 1, kAnywhere, {"PgUp PgDn", "scroll; Home and End, too"}},
      {key::page_up, &C::page, -1},
      {key::home, &C::move, -kAll},
      {key::end, &C::move, kAll},
      {key::enter, &C::enter, 0, kInTable, {"Enter", "open the pipeline of this pipe"}},
      {key::enter, &C::enter, 0, kInChain, {"Enter", "functions of a stage, slots of a ring"}},
      {key::enter, &C::open_row, 0, kInDetail, {"+ Enter", "open or close a function, a slot"}},
      {U'+', &C::open_row, 0, kInDetail},
      {U'e', &C::open_rows, 0, kInDetail, {"e", "open or close all rows below it"}},
      {U'E', &C::open_all_rows, 1, kInDetail, {"E C", "open all, close all"}},
      {U'C', &C::open_all_rows, 0, kInDetail},
      {U'f', &C::toggle_form, 0, kInDetail, {"f", "flat function list, or call tree"}},
      {U'o', &C::toggle_sort, 0, kInDetail, {"o", "sort by self, or by self and children"}},
      {key::escape, &C::close, 0, kInTable, {"Esc", "clear the filter"}},
      {key::escape, &C::close, 0, kChainOrDetail, {"Esc", "back; Backspace, too"}},
      {key::backspace, &C::back},
      {U'<', &C::sort, -1, kInTable, {"< > F6", "sort by another column"}},
      {U'>', &C::sort, 1, kInTable},
      {key::f6, &C::sort, 1, kInTable},
      {U't', &C::toggle_tree, 0, kInTable, {"t F5", "tree: pipelines together, or by rate"}},
      {key::f5, &C::toggle_tree, 0, kInTable},
      {U'i', &C::toggle_idle, 0, kInTable, {"i", "show or hide idle and own pipes"}},
      {U'/', &C::begin_filter, 0, kInTable, {"/ \\", "filter by command, pid or path"}},
      {U'\\', &C::begin_filter, 0, kInTable},
      {U'/', &C::begin_filter, 0, kInDetail, {"/", "filter functions by name"}},
      {key::tab,
       &C::next_panel,
       1,
       kChainOrDetail,
       {"Tab", "the other panel; alone: the next one"}},
      {key::back_tab, &C::next_panel, -1, kChainOrDetail},
      {U'}', &C::resize_ring, 1, kAnywhere, {"{ }", "halve or double the selected ring"}},
      {U'{', &C::resize_ring, 0},
      {U'n', &C::ask_nice, 0, kChainOrDetail, {"n", "renice the selected stage"}},
      {U'c', &C::ask_pin, 0, kChainOrDetail, {"c", "pin the selected stage to a CPU"}},
      {U'x',
       &C::toggle_exact,
       0,
       kChainOrDetail,
       {"x", "count bytes exactly; slows every system call"}},
      {U'u', &C::undo, 0, kAnywhere, {"u", "undo the last change"}},
      {U'0', &C::undo_all, 0, kAnywhere, {"0", "put everything back as it was"}},
      {U' ', &C::freeze, 0, kAnywhere, {"Space", "freeze the screen; data keeps flowing"}},
      {U'T', &C::leave<next_theme>, 0, kAnywhere, {"T", "next theme: dark, light, high contrast"}},
      {U'M', &C::leave<toggle_mouse>, 0, kAnywhere, {"M", "mouse on or off; off lets you select"}},
      {U'!', &C::toggle_messages, 0, kAnywhere, {"!", "all messages, in full"}},
      {U'?', &C::toggle_help, 0, kAnywhere, {"? F1", "this help"}},
      {key::f1, &C::toggle_help},
      {key::ctrl('L'), &C::leave<redraw_all>, 0, kAnywhere, {"Ctrl-L", "redraw the screen"}},
      {key::ctrl('Z'), &C::leave<suspend>, 0, kAnywhere, {"Ctrl-Z", "suspend"}},
      {U'q', &C::quit, 0, kAnywhere, {"q", "close a page, else quit; Ctrl-C quits"}},
      {key::ctrl('C'), &C::leave<interrupt>},
      {key::ctrl('\\'), &C::leave<abort>},
  };
};

std::span<const WatchController::Binding> WatchController::bindings() { return Keymap::kRows; }

std::span<const ScreenKey> watch_keys(WatchPlace place) {
  static std::map<WatchPlace, std::vector<ScreenKey>> made;
  std::vector<ScreenKey>& keys = made[place];
  if (!keys.empty()) return keys;
  for (const WatchController::Binding& binding : WatchController::bindings())
    if (!binding.help.keys.empty() && (binding.where & place) != 0) keys.push_back(binding.help);
  return keys;
}

// ---- moving ----

PageState* WatchController::open_page() {
  if (state_.help.open) return &state_.help;
  return state_.messages.open ? &state_.messages : nullptr;
}

void WatchController::move(int lines) {
  if (PageState* page = open_page())
    page->scroll += lines;
  else if (state_.place() == kInTable)
    move_selection(state_.table, lines);
  else if (state_.place() == kInChain)
    move_selection(state_.pipeline, lines);
  else if (selected_stage(state_.pipeline))
    move_selection(state_.pipeline.functions, lines);
}

void WatchController::page(int pages) {
  constexpr int kChainPage = 4;
  const int rows = state_.place() == kInChain ? kChainPage : std::max(1, list_rows());
  move(pages * rows);
}

// To the stage or ring beside it; a list has nothing beside it.
void WatchController::step(int by) {
  if (!open_page()) move_selection(state_.pipeline, by);
}

void WatchController::open_pipeline() {
  // To look changes nothing: the top row, if nobody has selected one.
  if (!state_.table.selected) select(state_.table, state_.table.at);
  const PipeRow* row = selected_row(state_.table);
  if (!row) return say("there is no pipe");
  const PipeId id = row->pipe.id;
  try {
    source_.open(id);
  } catch (const Error& error) {
    return say(error.what(), Severity::error);
  }
  PipelineState fresh;
  fresh.cpus = cpus_.size();
  fresh.frozen = state_.frozen = false;
  fresh.selected = Node(id);
  state_.pipeline = std::move(fresh);
  state_.in_pipeline = true;
  state_.message.clear();
  sent_selection_.reset();
  stale_ = true;  // shown as soon as there is a snapshot of it
}

void WatchController::enter(int) {
  if (open_page()) return;
  if (!state_.in_pipeline) return open_pipeline();
  if (!selected_item(state_.pipeline)) return;
  state_.pipeline.focus = PipelineFocus::whole;
}

// From the detail to the chain, from the chain to the table.
void WatchController::back(int) {
  if (close_overlay() || !state_.in_pipeline) return;
  PipelineState& pipeline = state_.pipeline;
  if (pipeline.focus != PipelineFocus::chain) {
    pipeline.focus = PipelineFocus::chain;
  } else if (!state_.command.empty()) {
    say("this watches the command only; q leaves, and the command goes on");
  } else {
    source_.close();
    state_.in_pipeline = false;
    state_.frozen = false;
    state_.pipeline = {};
    state_.pipeline.cpus = cpus_.size();
    sent_selection_.reset();
    if (latest_) show(latest_);
  }
}

// What lies over the table or the pipeline, the topmost first. False: there is nothing.
bool WatchController::close_overlay() {
  if (PageState* page = open_page()) {
    page->open = false;
    return true;
  }
  const bool filters =
      !state_.in_pipeline || (state_.place() == kInDetail && selected_stage(state_.pipeline));
  std::string& filter =
      state_.in_pipeline ? state_.pipeline.choice.filter : state_.table.choice.filter;
  if (!filters || filter.empty()) return false;
  filter.clear();
  return true;
}

void WatchController::close(int) {
  if (!state_.in_pipeline && !open_page() && state_.table.choice.filter.empty())
    state_.message.clear();
  back(0);
}

void WatchController::quit(int) {
  if (PageState* page = open_page()) {
    page->open = false;
  } else if (has_changes()) {
    if (latest_) state_.shown = latest_;  // it lists them, also while frozen
    state_.leaving = true;
  } else {
    outcome_ = Outcome::quit;
  }
}

// Between the chain and the detail beside or below it; a detail that is alone shows the next item.
void WatchController::next_panel(int by) {
  if (open_page()) return;
  PipelineState& pipeline = state_.pipeline;
  if (pipeline.focus == PipelineFocus::whole) {
    const auto nodes = static_cast<int>(pipeline.chain.nodes());
    if (nodes == 0) return;
    return select(pipeline,
                  static_cast<size_t>((static_cast<int>(pipeline.at) + by + nodes) % nodes));
  }
  const WatchLayout layout = watch_layout(rows_, cols_);
  if (pipeline_layout(layout.body, rows_, pipeline).detail.empty())
    return say("no room for another panel; Enter shows the functions or the slots");
  const bool to_detail = pipeline.focus == PipelineFocus::chain;
  pipeline.focus = to_detail ? PipelineFocus::detail : PipelineFocus::chain;
}

// ---- what the table and the lists show ----

void WatchController::sort(int by) {
  PipeSort& sort = state_.table.choice.sort;
  sort = next_sort(sort, by);
}

void WatchController::toggle_tree(int) {
  bool& tree = state_.table.choice.tree;
  tree = !tree;
  say(tree ? "pipelines together, in the order of the flow" : "each pipe by itself");
}

void WatchController::toggle_idle(int) {
  bool& all = state_.table.choice.all;
  all = !all;
  say(all ? "all pipes" : "without idle pipes, and those that a process keeps to itself");
}

void WatchController::begin_filter(int) {
  if (open_page()) return;
  if (!state_.in_pipeline)
    state_.table.filter_before = state_.table.choice.filter;
  else if (selected_stage(state_.pipeline))
    state_.pipeline.choice.filter_before = state_.pipeline.choice.filter;
}

void WatchController::freeze(int) {
  state_.frozen = !state_.frozen;
  state_.pipeline.frozen = state_.frozen;
  if (!state_.frozen && latest_) show(latest_);
}

void WatchController::toggle_form(int) {
  ListForm& form = state_.pipeline.choice.form;
  form = form == ListForm::flat ? ListForm::tree : ListForm::flat;
}

void WatchController::toggle_sort(int) {
  ListSort& by = state_.pipeline.choice.sort();
  by = by == ListSort::self ? ListSort::children : ListSort::self;
}

void WatchController::open_row(int) {
  if (!open_page() && selected_stage(state_.pipeline))
    open_level(state_.pipeline.functions, state_.pipeline.choice);
}

void WatchController::open_rows(int) {
  open_entry(state_.pipeline.functions, state_.pipeline.choice);
}

void WatchController::open_all_rows(int open) {
  if (open != 0)
    open_all(state_.pipeline.functions, state_.pipeline.choice);
  else
    close_all(state_.pipeline.functions, state_.pipeline.choice);
}

// ---- changes of other people's processes ----

void WatchController::resize_ring(int larger) {
  const PipelineState& pipeline = state_.pipeline;
  const PipeRow* row = state_.in_pipeline ? nullptr : selected_row(state_.table);
  const Pipe* pipe = row ? &row->pipe : is_chosen(pipeline) ? selected_pipe(pipeline) : nullptr;
  if (!pipe) return say(why_no_ring());
  const PipeId id = pipe->id;
  change_if_agreed(resize_question(*pipe, row ? row->stages : pipeline.shown().stages, larger != 0,
                                   [this](ProcessId process) { return source_.user_of(process); }),
                   false, [this, id, larger] { return source_.resize(id, larger != 0); });
}

std::string WatchController::why_no_ring() const {
  if (!state_.in_pipeline) return "no pipe is selected; j and k select";
  const Stage* stage = selected_stage(state_.pipeline);
  if (!stage) return "no ring is selected; j and k select";
  return fmt::format("no ring is selected, but the stage {} {}; j and k select a ring", stage->name,
                     stage->id.pid);
}

void WatchController::ask_nice(int) {
  const Stage* stage = selected_stage(state_.pipeline);
  if (!stage) return say("no stage is selected; j and k select");
  state_.prompt = nice_prompt(*stage);
}

void WatchController::ask_pin(int) {
  const Stage* stage = selected_stage(state_.pipeline);
  if (!stage) return say("no stage is selected; j and k select");
  state_.prompt = pin_prompt(state_.pipeline.shown(), *stage, cpus_);
}

void WatchController::toggle_exact(int) {
  const bool on = !(latest_ && latest_->counts_bytes);
  try {
    source_.count_bytes(on);
    say(on ? std::string(price_of_counting()) : "rates are estimated again, at no cost",
        on ? Severity::warning : Severity::info);
    state_.pipeline.held.let_go();
  } catch (const Error& error) {
    say(error.what(), Severity::error);
  }
}

void WatchController::undo(int) {
  if (!has_changes()) return say("nothing to undo");
  change([&] { return source_.undo(); });
}

void WatchController::undo_all(int) {
  if (!has_changes()) return say("nothing was changed");
  change([&] { return source_.undo_all(); });
}

}  // namespace pipetop::tui

// The meaning of keys, a row for each in the order of the help page, and what they do.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "engine/base/error.h"
#include "tui/watch/watch_controller.h"
#include "tui/widgets/list_state.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {

struct WatchController::Keymap {
  using C = WatchController;
  static constexpr uint8_t kInPipeline = kInChain | kInFunctions | kInSlots;
  static constexpr auto kEnter = does<&C::enter>;
  static constexpr auto kFilter = does<&C::filter_table>;
  static constexpr auto kPanel = does<&C::next_panel>;
  static constexpr auto kStages = does<&C::toggle_activity>;
  static constexpr auto kSlots = does<&C::tell_no_slots>;
  static constexpr auto kPicture = does<&C::toggle_picture>;
  static constexpr KeyRow kRows[] = {
      {key::right, does<&C::step>, 1, {}, kInPipeline},
      {key::left, does<&C::step>, -1, {}, kInPipeline},
      {key::enter, kEnter, 0, {"Enter", "open the pipeline of this pipe"}, kInTable},
      {key::enter,
       kEnter,
       0,
       {"Enter", "threads or functions of a stage, slots of a ring"},
       kInChain},
      {key::enter, kSlots, 0, {"Enter", "go from slot to slot, or back"}, kInSlots},
      {U'r', kPicture, 0, {"r", "below the slots: curves or histogram"}, kInPipeline},
      {U'<', does<&C::sort>, -1, {"< > F6", "sort by another column"}, kInTable},
      {U'>', does<&C::sort>, 1, {}, kInTable},
      {key::f6, does<&C::sort>, 1, {}, kInTable},
      {U't', does<&C::toggle_tree>, 0, {"t F5", "tree: pipelines together, or by rate"}, kInTable},
      {key::f5, does<&C::toggle_tree>, 0, {}, kInTable},
      {U'i', does<&C::toggle_idle>, 0, {"i", "show or hide idle and internal pipes"}, kInTable},
      {U's', does<&C::turn_sockets>, 0, {"s", "sockets beside pipes, alone, or not"}, kInTable},
      {U'/', kFilter, 0, {"/ \\", "filter by command, pid, path or cgroup"}, kInTable},
      {U'\\', kFilter, 0, {}, kInTable},
      {key::tab, kPanel, 1, {"Tab", "the other panel; alone: the next one"}, kInPipeline},
      {key::back_tab, kPanel, -1, {}, kInPipeline},
      {U'w', kStages, 0, {"w", "functions of the stage, its waits, its threads"}, kInPipeline},
      {U'T',
       does<&C::toggle_process_tree>,
       0,
       {"T", "tree of what the process started"},
       kInPipeline},
      {U'L', does<&C::toggle_log>, 0, {"L", "log of the changes and their rates"}, kInPipeline},
      {U'a', does<&C::compare>, 0, {"a", "keep this segment as A, to compare with"}, kInPipeline},
  };
  static constexpr auto kExact = does<&C::toggle_exact>;
  static constexpr KeyRow kChanges[] = {
      {U'}', does<&C::resize_ring>, 1, {"{ }", "halve or double the selected ring"}},
      {U'{', does<&C::resize_ring>, 0},
      {U'x', kExact, 0, {"x", "count bytes exactly; slows every system call"}, kInPipeline},
      {U'u', does<&C::undo>, 0, {"u", "undo the last change"}},
      {U'0', does<&C::undo_all>, 0, {"0", "put everything back as it was"}},
      {U'K', does<&C::keep>, 0, {"K", "keep what was changed, also when pipetop ends"}},
  };
  static constexpr KeyRow kAlways[] = {
      {key::escape, does<&C::close>, 0, {"Esc", "clear the filter"}, kInTable},
      {key::escape, does<&C::close>, 0, {"Esc", "back; Backspace, too"}, kInPipeline},
      {key::backspace, does<&C::back>},
      {U'W', does<&C::toggle_recording>, 0, {"W", "record to a new file, or end that"}},
  };
};

std::vector<KeyTable> WatchController::keys() {
  return {moving_keys(),           {Keymap::kRows}, list_keys(kInFunctions), {Keymap::kChanges},
          {Keymap::kAlways, true}, page_keys(),     terminal_keys()};
}

std::vector<KeyTable> WatchController::keys_of_replay() {
  return {transport_keys(),        moving_keys(), {Keymap::kRows}, list_keys(kInFunctions),
          {Keymap::kAlways, true}, page_keys(),   terminal_keys()};
}

bool WatchController::changes_something(Key key) {
  return std::ranges::find(Keymap::kChanges, key, &KeyRow::key) != std::end(Keymap::kChanges);
}

std::span<const ScreenKey> watch_keys(WatchPlace place, bool recorded) {
  static std::map<std::pair<WatchPlace, bool>, std::vector<ScreenKey>> made;
  std::vector<ScreenKey>& keys = made[{place, recorded}];
  if (keys.empty())
    keys = help_of(recorded ? WatchController::keys_of_replay() : WatchController::keys(),
                   recorded ? place | kTakesEnds : place);
  return keys;
}

// ---- moving ----

void WatchController::move(int lines) {
  if (state_.place() == kInTable)
    move_selection(state_.table, lines);
  else if (state_.place() == kInChain)
    move_selection(state_.pipeline, lines);
  else if (selected_stage(state_.pipeline))
    move_selection(state_.pipeline.functions, lines);
}

int WatchController::page_rows() const {
  constexpr int kChainPage = 4;
  return state_.place() == kInChain ? kChainPage : std::max(1, list_rows());
}

// To the stage or ring beside it; a list has nothing beside it.
void WatchController::step(int by) { move_selection(state_.pipeline, by); }

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
  fresh.cpus = source_.cpus();
  fresh.frozen = state_.frozen = false;
  fresh.selected = Node(id);
  state_.pipeline = std::move(fresh);
  state_.in_pipeline = true;
  state_.message.clear();
  sent_selection_.reset();
  stale_ = true;  // shown as soon as there is a snapshot of it
}

void WatchController::enter() {
  if (!state_.in_pipeline) return open_pipeline();
  if (!selected_item(state_.pipeline)) return;
  state_.pipeline.wants_threads = true;
  state_.pipeline.focus = PipelineFocus::whole;
}

// From the detail to the chain, from the chain to the table.
void WatchController::back() {
  if (close_overlay() || !state_.in_pipeline) return;
  PipelineState& pipeline = state_.pipeline;
  if (pipeline.focus != PipelineFocus::chain) {
    pipeline.focus = PipelineFocus::chain;
  } else if (start_.recorded) {
    say("a recording holds the open pipeline only; q quits");
  } else if (!state_.command.empty()) {
    say("only the command's pipeline is watched; q leaves it running");
  } else {
    source_.close();
    state_.in_pipeline = false;
    state_.frozen = false;
    state_.pipeline = {};
    state_.pipeline.cpus = source_.cpus();
    sent_selection_.reset();
    if (latest_) show(latest_);
  }
}

PageState* WatchController::open_page() {
  if (PageState* page = Screen::open_page()) return page;
  if (state_.in_pipeline && state_.tree.open && has_tree(state_)) return &state_.tree;
  PageState& log = state_.pipeline.log;
  return state_.in_pipeline && log.open ? &log : nullptr;
}

// What lies over the table or the pipeline, the topmost first. False: there is nothing.
bool WatchController::close_overlay() {
  if (close_page()) return true;
  if (state_.place() == kInFunctions) return drop_filter();
  std::string& filter = state_.table.choice.filter;
  if (state_.place() != kInTable || filter.empty()) return false;
  filter.clear();
  return true;
}

void WatchController::close() {
  if (!state_.in_pipeline && !open_page() && state_.table.choice.filter.empty())
    state_.message.clear();
  back();
}

void WatchController::quit() {
  if (close_page()) return;
  if (!has_changes()) return leave<Outcome::quit>();
  if (latest_) state_.shown = latest_;  // it lists them, also while frozen
  state_.leaving = true;
}

// Between the chain and the detail beside or below it; a detail that is alone shows the next item.
void WatchController::next_panel(int by) {
  PipelineState& pipeline = state_.pipeline;
  if (pipeline.focus == PipelineFocus::whole) {
    const auto nodes = static_cast<int>(pipeline.chain.nodes());
    if (nodes == 0) return;
    return select(pipeline,
                  static_cast<size_t>((static_cast<int>(pipeline.at) + by + nodes) % nodes));
  }
  if (places().detail.empty()) return say("too small for a second panel; Enter opens it");
  const bool to_detail = pipeline.focus == PipelineFocus::chain;
  pipeline.focus = to_detail ? PipelineFocus::detail : PipelineFocus::chain;
}

// ---- what the table and the lists show ----

void WatchController::sort(int by) {
  PipeSort& sort = state_.table.choice.sort;
  sort = next_sort(sort, by);
}

void WatchController::toggle_tree() {
  bool& tree = state_.table.choice.tree;
  tree = !tree;
  say(tree ? "pipelines together, in the order of the flow" : "each pipe by itself");
}

void WatchController::toggle_idle() {
  bool& all = state_.table.choice.all;
  all = !all;
  say(all ? "all pipes" : "idle and internal pipes hidden");
}

void WatchController::turn_sockets() {
  SocketRows& sockets = state_.table.choice.sockets;
  sockets = static_cast<SocketRows>((static_cast<int>(sockets) + 1) % 3);
  say(sockets == SocketRows::beside  ? "sockets beside pipes"
      : sockets == SocketRows::alone ? "sockets alone"
                                     : "no sockets");
}

void WatchController::filter_table() { state_.table.filter_before = state_.table.choice.filter; }

void WatchController::freeze() {
  state_.frozen = !state_.frozen;
  state_.pipeline.frozen = state_.frozen;
  if (!state_.frozen && latest_) show(latest_);
}

void WatchController::toggle_log() {
  if (!state_.pipeline.has_pipeline()) return;
  state_.pipeline.log.toggle();
}

void WatchController::toggle_process_tree() {
  if (!has_tree(state_))
    return say("no tree: pipetop watch --tree PID, or -- COMMAND, shows what it starts");
  state_.tree.toggle();
}

void WatchController::compare() {
  PipelineState& pipeline = state_.pipeline;
  if (!pipeline.has_pipeline()) return;
  if (pipeline.kept) {
    pipeline.kept.reset();
    return say("comparing with the previous segment again");
  }
  pipeline.kept = keep_segment(*pipeline.snapshot);
  pipeline.since_kept = change_since(*pipeline.kept, *pipeline.snapshot);
  say(fmt::format("comparing with A: \"{}\"; a again ends that", pipeline.kept->segment->label));
}

// Functions, waits, and threads if there are several. Its waits are shares of its time; they have
// no callers.
void WatchController::toggle_activity() {
  PipelineState& pipeline = state_.pipeline;
  const Stage* stage = selected_stage(pipeline);
  if (!stage) return say("no stage is selected; j and k select");
  ListChoice& choice = pipeline.choice;
  const bool to_threads = !stage->thread_list.empty() && choice.activity == Activity::waiting;
  const bool waiting = choice.activity == Activity::running && !lists_threads(pipeline);
  pipeline.wants_threads = to_threads;
  select_nothing(pipeline.functions);
  choice.activity = waiting ? Activity::waiting : Activity::running;
  choice.wall = waiting;
  if (waiting) choice.form = ListForm::flat;
  // The list is in the panel, if there is one.
  if (places().detail.empty()) state_.pipeline.focus = PipelineFocus::whole;
  say(to_threads ? "the threads of the stage, by their time on a CPU"
      : waiting  ? "what the stage waits for, as shares of its time"
                 : "where the stage runs");
}

void WatchController::press_transport(int key) {
  if (!start_.transport) return;
  if (auto said = start_.transport->press(static_cast<Key>(key)); !said.empty())
    say(std::move(said));
}

void WatchController::toggle_recording() {
  if (!state_.in_pipeline && !state_.recording)
    return say("the table of all pipes can't be recorded; Enter opens a pipeline");
  leave<Outcome::toggle_recording>();
}

void WatchController::toggle_form() {
  if (lists_threads(state_.pipeline))
    return say("threads have no call tree; w shows the functions");
  if (state_.pipeline.choice.activity == Activity::waiting)
    return say("waits have no call tree here; w shows the functions");
  ListScreen::toggle_form();
}

void WatchController::toggle_picture() {
  if (!selected_pipe(state_.pipeline)) return say(why_no_ring());
  RingPicture& picture = state_.pipeline.ring.picture;
  const bool curves = picture == RingPicture::histogram;
  picture = curves ? RingPicture::both : RingPicture::histogram;
  say(curves ? "ring: its rate and use over time" : "ring: histogram");
}

// ---- changes of other people's pipes ----

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
  return fmt::format("no ring is selected, but the stage {}; j and k select a ring",
                     name_of(*stage));
}

void WatchController::toggle_exact() {
  const bool on = !(latest_ && latest_->counts_bytes);
  try {
    source_.count_bytes(on);
    say(on ? std::string(price_of_counting()) : "back to estimated rates",
        on ? Severity::warning : Severity::info);
    state_.pipeline.held.let_go();
  } catch (const Error& error) {
    say(error.what(), Severity::error);
  }
}

void WatchController::undo() {
  if (!has_changes()) return say("nothing to undo");
  change([&] { return source_.undo(); });
}

void WatchController::keep() {
  if (!has_changes()) return say("nothing was changed");
  Question question{"Keep what was changed?", {}, {{"Enter", "keep"}, {"any other key", "no"}}};
  if (latest_)
    for (const Intervention& change : latest_->interventions) question.lines.push_back(change.text);
  question.lines.push_back("u and the end of pipetop won't put it back");
  change_if_agreed(std::move(question), true, [this] {
    source_.keep_changes();
    return std::string("kept");
  });
}

void WatchController::undo_all() {
  if (!has_changes()) return say("nothing was changed");
  change([&] { return source_.undo_all(); });
}

}  // namespace pipetop::tui

#include "tui/watch/watch_controller.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "tui/draw/text.h"
#include "tui/screen/shell.h"
#include "tui/watch/tree_page.h"
#include "tui/widgets/held_figures.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kNoticeStays_ns = 60'000'000'000;
constexpr const char* kNothingChanged = "nothing was changed";

TerminalFiles files_of(const WatchScreenOptions& options) {
  TerminalFiles files =
      options.on_controlling_terminal ? TerminalFiles::controlling() : TerminalFiles();
  files.instead = options.transport ? "pipetop replay --info" : "pipetop watch --once";
  return files;
}

WatchStart start_of(const Config& config, const WatchScreenOptions& options) {
  return {.sort = options.sort,
          .filter = options.filter,
          .pipeline = options.pipeline,
          .tree = options.tree,
          .command = options.command,
          .recorded = options.transport != nullptr,
          .transport = options.transport,
          .hold_ns = config.show ? kShowHolds_ns : kDashboardHolds_ns};
}

// With the command whose pipeline it may be.
class WatchScreen final : public WatchController {
 public:
  WatchScreen(WatchSource& source, const Config& config, const WatchScreenOptions& options)
      : WatchController(source, start_of(config, options)), options_(options) {}

  int event_fd() const override { return options_.fd; }
  // Its descriptor stays readable, and descendants may go on: `ended` is asked at every tick.
  bool handle_events() override {
    ending_ = static_cast<bool>(options_.ended);
    return false;
  }
  bool has_ended() override { return ending_ && options_.ended(); }

  bool tick(uint64_t now_ns) override {
    const auto before = latest();
    const bool is_new = WatchController::tick(now_ns);
    if (options_.every_snapshot && latest() != before) options_.every_snapshot(*latest());
    return is_new;
  }

  void resume() override {
    if (options_.transport) options_.transport->resume();
  }

  bool has_command() const override { return static_cast<bool>(options_.deliver); }
  void deliver(int signal) override { options_.deliver(signal); }

 private:
  const WatchScreenOptions& options_;
  bool ending_ = false;  // the command has exited
};

// Whatever ended the screen. Returns whether all is as it was, or as the user wants it.
bool put_back(WatchSource& source, const WatchScreenOptions& options) {
  const std::vector<std::string> left = source.finish_changes();
  if (options.say) std::ranges::for_each(left, options.say);
  return left.empty();
}

}  // namespace

WatchController::WatchController(WatchSource& source, const WatchStart& start)
    : source_(source), start_(start) {
  TableChoice& choice = state_.table.choice;
  choice.tree = start.sort == PipeSort::pipeline;
  choice.sort = choice.tree ? PipeSort::rate : start.sort;
  choice.filter = start.filter;
  state_.in_pipeline = start.pipeline;
  state_.command = start.command;
  state_.tree.open = start.tree;
  state_.recorded = start.recorded;
  state_.replay = start.transport ? &start.transport->state() : start.replay;
  state_.pipeline.cpus = source_.cpus();
  state_.pipeline.recorded = start.recorded;
}

WatchLayout WatchController::layout() const {
  WatchLayout layout = watch_layout(rows_, cols_, state_.replay != nullptr);
  if (body_) layout.body = *body_;
  return layout;
}

bool WatchController::has_settled() const {
  constexpr uint64_t kSettles_ns = 2'000'000'000;
  return latest_ && latest_->watched && latest_->watched->verdict.kind != Verdict::Kind::unknown &&
         latest_->now_ns >= latest_->throughput.current.begin_ns + kSettles_ns;
}

bool WatchController::is_asking() const {
  return state_.question || state_.leaving || state_.table.filter_before ||
         state_.pipeline.choice.filter_before;
}

PipelineLayout WatchController::places() const {
  return pipeline_layout(layout().body, rows_, state_.pipeline);
}

void WatchController::show(const std::shared_ptr<const Snapshot>& now) {
  // What is remembered of the rings was later.
  if (state_.shown && now->now_ns < state_.shown->now_ns) {
    state_.pipeline.held.let_go();
    state_.pipeline.rings.clear();
  }
  state_.shown = now;
  stale_ = false;
  if (state_.in_pipeline)
    update(state_.pipeline, now, start_.hold_ns);
  else
    state_.table.rows.update(*now);
}

// The table's passes are made when they are due: half a second apart.
uint64_t WatchController::period_ns(uint64_t frame_ns) const {
  constexpr uint64_t kTableTick_ns = 125'000'000;
  return state_.in_pipeline ? frame_ns : std::max(frame_ns, kTableTick_ns);
}

bool WatchController::tick(uint64_t now_ns) {
  const auto now = source_.tick(now_ns);
  const bool ages =
      now && !now->stale_because.empty() && now_ns / kSecond != state_.now_ns / kSecond;
  const bool is_new = age_message(now_ns) || ages;
  state_.now_ns = start_.recorded && now ? now->now_ns : now_ns;
  if (now && now != latest_) state_.notices = now->notices;
  std::erase_if(state_.notices, [&](const Notice& notice) {
    return state_.now_ns >= notice.at_ns + kNoticeStays_ns;
  });
  if (!now || (now == latest_ && !stale_)) return is_new;
  if (now != latest_) changed_ = false;
  latest_ = now;
  if (state_.frozen && state_.shown && !stale_) return is_new;
  show(now);
  return true;
}

// The table isn't recorded.
void WatchController::record(Tape& tape) {
  if (latest_ && latest_->watched && latest_->stale_because.empty()) add_to(tape, *latest_);
}

int WatchController::list_rows() const {
  if (!state_.in_pipeline) return table_rows_in(layout().body.rows);
  return function_rows(detail_list(places(), state_.pipeline));
}

void WatchController::lay_out(int rows, int cols) {
  rows_ = rows;
  cols_ = cols;
  const WatchLayout layout = this->layout();
  // However small the screen is: rows point into the last pass.
  if (!state_.in_pipeline) tui::settle(state_.table, list_rows());
  if (!layout.fits) return;
  if (state_.in_pipeline && state_.pipeline.has_pipeline()) {
    PipelineState& pipeline = state_.pipeline;
    refresh_functions(pipeline);
    const PipelineLayout places = this->places();
    if (!places.chain.empty()) pipeline.scroll = places.items.scroll;
    if (places.detail.empty() && pipeline.focus == PipelineFocus::detail)
      pipeline.focus = PipelineFocus::chain;
    keep_in_view(pipeline.functions, list_rows());
    tell_selection();
  }
  state_.help.settle([&] { return help_scroll_end(rows, cols, help_of(state_)); });
  if (state_.tree.open && has_tree(state_))
    state_.tree.settle([&] { return tree_scroll_end(layout.body, *state_.shown->table.tree); });
  if (PageState& log = state_.pipeline.log; log.open && state_.pipeline.has_pipeline()) {
    const PipelineLayout places = this->places();
    log.settle(
        [&] { return log_scroll_end(places.border, places.log, *state_.pipeline.snapshot); });
  }
  state_.messages.settle([&] { return messages_scroll_end(rows, cols, messages_of(state_)); });
}

void WatchController::draw(Canvas& canvas) const {
  if (body_)
    draw_watched(canvas, state_, *body_);
  else
    tui::draw(canvas, state_);
}

// The functions of a stage are only known once they were asked for.
void WatchController::tell_selection() {
  const Stage* stage = selected_stage(state_.pipeline);
  const auto id = stage ? std::optional(stage->id) : std::nullopt;
  if (id == sent_selection_) return;
  sent_selection_ = id;
  source_.select(id);
}

// What takes the keys before their usual meanings.
bool WatchController::press_first(Key key) {
  const bool ends = key == key::ctrl('C') || key == key::ctrl('\\');
  const bool redraws = key == key::ctrl('L') || key == key::ctrl('Z');
  if (ends || redraws) return false;
  return press_leaving(key) || press_question(key) || press_filters(key) ||
         (!open_page() && press_slots(key));
}

bool WatchController::press_last(Key key) {
  const bool is_digit = key >= U'1' && key <= U'9';
  if (!start_.recorded || !(is_digit || changes_something(key))) return false;
  append_utf8(refused_ = {}, key);
  refuse_change();
  return true;
}

bool WatchController::press_leaving(Key key) {
  if (!state_.leaving) return false;
  if (key == key::enter || key == U'p') {
    leave<Outcome::quit>();  // what is not kept is put back then
  } else if (key == U'k') {
    keeps_ = true;
    leave<Outcome::quit>();
  } else if (key == key::escape || key == U'c') {
    state_.leaving = false;
  }
  return true;
}

bool WatchController::press_question(Key key) {
  if (!state_.question) return false;
  state_.question.reset();
  if (key == key::enter) {
    has_agreed_ = true;
    change(asked_);
  } else {
    say(kNothingChanged);
  }
  return true;
}

bool WatchController::press_filters(Key key) {
  if (state_.in_pipeline) return press_filter(key);
  return edit_filter(state_.table.choice.filter, state_.table.filter_before, key);
}

// Moves from slot to slot while one is inspected.
bool WatchController::press_slots(Key key) {
  PipelineState& pipeline = state_.pipeline;
  if (state_.place() != kInSlots || !selected_pipe(pipeline)) return false;
  const auto slots = detail_slots(places(), pipeline);
  if (!slots) return false;
  RingState& ring = pipeline.ring;
  if (key == key::enter) key = ring.inspected ? key::escape : key::home;
  if (ring.inspected && key == key::backspace) key = key::escape;
  const Key arrow = key == U'j' ? key::down : key == U'k' ? key::up : key;
  return tui::press_slots(ring, slots, arrow);
}

bool WatchController::has_changes() const {
  return changed_ || (!start_.recorded && latest_ && !latest_->interventions.empty());
}

bool WatchController::change(const std::function<std::string()>& change) {
  try {
    say(change());
    changed_ = true;
    state_.pipeline.held.let_go();
    return true;
  } catch (const Error& error) {
    say(error.what(), Severity::error);
    return false;
  }
}

void WatchController::change_if_agreed(Question question, bool must,
                                       std::function<std::string()> change) {
  if (has_agreed_ && !must) return void(this->change(change));
  state_.question = std::move(question);
  asked_ = std::move(change);
}

// ---- clicks and the wheel, by place ----

void WatchController::click(const Mouse& mouse) {
  const WatchLayout layout = this->layout();
  if (!layout.fits || state_.question || state_.leaving) return;
  if (layout.keys.contains(mouse.row, mouse.col)) {
    const auto items = place_keys(layout.keys, watch_key_items(state_));
    const Key key = key_at(items, mouse.row - layout.keys.row, mouse.col);
    if (key != 0) press(key);
  } else if (!layout.body.contains(mouse.row, mouse.col)) {
    return;
  } else if (state_.in_pipeline) {
    click_pipeline(mouse);
  } else {
    click_table(mouse);
  }
}

// A click on the selected row opens it.
void WatchController::click_table(const Mouse& mouse) {
  const WatchLayout layout = this->layout();
  const int line = mouse.row - layout.body.row - 1;
  const int row = state_.table.scroll + line;
  const auto count = static_cast<int>(state_.table.rows.rows().size());
  if (line < 0 || line >= table_rows_in(layout.body.rows) || row >= count) return;
  if (state_.table.selected && row == state_.table.at) return enter();
  select(state_.table, row);
}

void WatchController::click_pipeline(const Mouse& mouse) {
  PipelineState& pipeline = state_.pipeline;
  const PipelineLayout places = this->places();
  for (const PlacedItem& placed : places.items.items) {
    if (!placed.rect.contains(mouse.row, mouse.col)) continue;
    if (placed.item >= pipeline.chain.nodes()) return;
    pipeline.focus = PipelineFocus::chain;
    if (placed.item == pipeline.at && pipeline.selected) return enter();
    return select(pipeline, placed.item);
  }
  if (!places.detail.contains(mouse.row, mouse.col)) return;
  if (pipeline.focus == PipelineFocus::chain) pipeline.focus = PipelineFocus::detail;
  const Rect list = detail_list(places, pipeline);
  if (list.contains(mouse.row, mouse.col)) return click_list(pipeline.functions, list, mouse.row);
  const auto slots = detail_slots(places, pipeline);
  if (!slots) return;
  if (const auto slot = slot_at(*slots, mouse.row, mouse.col)) pipeline.ring.inspected = slot;
}

// The wheel scrolls a list, and moves the selection along if necessary.
void WatchController::scroll(const Mouse& mouse, int lines) {
  if (!state_.in_pipeline) return move_selection(state_.table, lines);
  PipelineState& pipeline = state_.pipeline;
  const PipelineLayout places = this->places();
  if (detail_list(places, pipeline).contains(mouse.row, mouse.col)) {
    scroll_list(pipeline.functions, lines);
  } else if (places.chain.contains(mouse.row, mouse.col)) {
    move_selection(pipeline, lines < 0 ? -1 : 1);
  }
}

void check_watch_terminal(const Config& config, const WatchScreenOptions& options) {
  require_terminal(config, files_of(options));
}

int run_watch_screen(WatchSource& source, const Config& config, const WatchScreenOptions& options) {
  WatchScreen screen(source, config, options);
  ShellOptions shell{
      .files = files_of(options), .tape = options.tape, .save_picture = options.save_picture};
  int exit_code = 0;
  try {
    exit_code = run_screen(screen, config, shell);
  } catch (...) {
    put_back(source, options);
    throw;
  }
  if (screen.keeps_changes()) source.keep_changes();
  const bool is_done = put_back(source, options);
  return exit_code == 0 && !is_done ? static_cast<int>(Exit::refused) : exit_code;
}

}  // namespace pipetop::tui

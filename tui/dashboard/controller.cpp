#include "tui/dashboard/controller.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/experiment/rehearsal.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/keymap.h"
#include "tui/dashboard/messages.h"
#include "tui/dashboard/view.h"
#include "tui/draw/text.h"
#include "tui/screen/shell.h"
#include "tui/widgets/ladder.h"
#include "tui/widgets/pages.h"
#include "tui/widgets/show.h"

namespace pipetop::tui {
namespace {

constexpr int kMostValues = 8;       // of a choice
constexpr size_t kMostUndone = 200;  // as many as the log keeps

template <class Steps, class Step>
void remember(Steps& steps, Step step) {
  steps.push_back(std::move(step));
  if (steps.size() > kMostUndone) steps.pop_front();
}

std::string key_text(Key key) {
  std::string text;
  append_utf8(text, key);
  return text;
}

// Once it has settled.
std::vector<NotesCheck> checks_of(std::span<const Scene> scenes, size_t index,
                                  const Snapshot& now) {
  const Scene& scene = scenes[index];
  RehearsedScene seen;
  seen.rate = show_rate(now);
  if (has_rate(scene) ? !seen.rate.has_value() : !now.effective.settled) return {};
  seen.verdict = now.verdict;
  seen.functions = functions_in(now);
  seen.to_previous = seen.to_first = Reading<double>::unavailable(now.change.reason);
  if (now.change.has_value()) {
    const auto earlier = std::ranges::count_if(
        scenes.first(index), [&](const Scene& s) { return are_comparable(s, scene); });
    seen.to_previous = Reading<double>::of(now.change->factor);
    if (earlier == 1)
      seen.to_first = seen.to_previous;
    else if (now.change->since_start > 0)
      seen.to_first = Reading<double>::of(now.change->since_start);
    else
      seen.to_first = Reading<double>::unavailable("the first scene was not measured");
  }
  std::vector<NotesCheck> checks;
  const bool compared = now.change.has_value();
  for (const Expectation& expected : scene.expect)
    if (compared || expected.of >= Expectation::Of::rate)  // else it is not known yet
      checks.push_back({to_text(expected), why_not(expected, seen)});
  return checks;
}

NotesPage notes_of(const DashboardState& state) {
  const TalkState& talk = state.talk;
  const Scene& scene = talk.scenes[*talk.at];
  const std::span<const Scene> after = talk.scenes.subspan(*talk.at + 1);
  NotesPage page{.scene = static_cast<uint32_t>(number_of(talk.scenes, *talk.at)),
                 .scenes = static_cast<uint32_t>(talk.last_number()),
                 .title = scene.title,
                 .notes = scene.notes,
                 .next = after.empty() ? "" : after.front().title,
                 .next_caption = after.empty() ? "" : after.front().caption,
                 .begun_ns = talk.begun_ns,
                 .entered_ns = talk.entered_ns,
                 .planned_ns = scene.planned_ns,
                 .black = state.show.blank,
                 .recorded = state.replay != nullptr,
                 .otherwise = scene.otherwise};
  for (const Scene& later : after) page.after_ns += later.planned_ns;
  return page;
}

}  // namespace

Controller::Controller(Source& source, const Settings& start, std::span<const Preset> presets)
    : source_(source), start_(start), presets_(presets) {
  state_.requested = start;
  state_.presets = presets;
}

void Controller::set_time(uint64_t now_ns, uint64_t viewer_ns) {
  state_.now_ns = now_ns;
  state_.talk.now_ns = viewer_ns;
  age_message(viewer_ns);
}

// The settings are those of the moment, and so is the scene.
void Controller::follow_replay() {
  state_.replay = source_.replay();
  if (!state_.replay) return;
  if (shown_->requested.workload != state_.requested.workload)
    change_workload(shown_->requested.workload);
  state_.requested = shown_->requested;
  if (state_.talk.presenting) return follow_recorded_talk();
  ShowState& show = state_.show;
  const RecordedMark* scene = state_.replay->scene;
  const size_t number = scene ? scene->number : 0;
  if (show.scene == number && show.title == (scene ? scene->label : "")) return;
  show.title = show.caption = "";
  show.scene = show.scenes = 0;
  for (const RecordedMark& mark : state_.replay->marks)
    if (mark.kind == RecordedMark::Kind::scene)
      show.scenes = std::max<size_t>(show.scenes, mark.number);
  if (scene) show_recorded(*scene, show);
}

// Its keys have entered the scene, unless those that move time have led to another one.
void Controller::follow_recorded_talk() {
  const auto index = state_.replay->scene_index();
  if (!index) return;
  const Scene& scene = state_.talk.scenes[*index];
  if (index != state_.talk.at) {
    state_.talk.at = index;
    const bool on = state_.show.on;
    show_scene(scene);
    state_.show.on = on;
  }
  const bool slowly = in_transition(*state_.replay->scene, *shown_);
  if (std::exchange(recorded_slowly_, slowly) != slowly)
    state_.show.view = slowly ? ShowPart::ring : scene.view;
}

void Controller::show(const Snapshot& shown, int rows, int cols) {
  shown_ = &shown;
  rows_ = rows;
  cols_ = cols;
  follow_replay();
  state_.ring.follow(shown, state_.frozen);
  state_.show.no_functions = sees_no_functions(shown);
  if (stored_rate_ && then_of_ != state_.on_screen()) {
    then_of_ = state_.on_screen();
    state_.then = stored_rate_(*then_of_);
  }
  settle();
  if (!watched_) return;
  watched_->lay_out_in(watched_in_show(state_, rows, cols));
  watched_->lay_out(rows, cols);
}

bool Controller::has_settled() const {
  // After a change until the slowest figures, the verdict and the functions, are of what followed
  // it.
  constexpr uint64_t kSettles_ns = 2'000'000'000;
  const uint64_t begin_ns = shown_->throughput.current.begin_ns;
  return shown_->effective.settled && shown_->throughput.over_1s.has_value() &&
         shown_->now_ns >= begin_ns + kSettles_ns;
}

void Controller::draw(Canvas& canvas) const {
  if (watched_) return draw_watching_scene(canvas, state_, *watched_);
  tui::draw(canvas, *shown_, state_, state_.shows_pipeline() ? &pipeline_ : nullptr);
}

// Afterwards: the next key may come before the next frame.
void Controller::settle() {
  if (watched_ && !state_.message.empty())
    watched_->say(std::exchange(state_.message, {}), state_.severity);
  if (state_.shows_pipeline())
    follow(pipeline_, *shown_, state_);
  else if (pipeline_.snapshot)
    pipeline_ = {};
  show_lists(state_, *shown_, rows_, cols_);
  state_.help.settle([&] { return help_scroll_end(rows_, cols_, help_of(state_)); });
  state_.log.settle([&] { return log_scroll_end(layout().border(), layout().page, *shown_); });
  state_.ladder.settle([&] {
    return ladder_scroll_end(inside(layout(), layout().page).rows,
                             rungs_of(*shown_, state_.presets));
  });
  state_.messages.settle(
      [&] { return messages_scroll_end(rows_, cols_, messages_of(*shown_, state_)); });
}

bool Controller::press_first(Key key) {
  if (watched_) return press_watched(key);
  return press_filter(key) || press_talk(key) || inspect(key);
}

void Controller::press_transport(int key) {
  if (auto said = source_.press(static_cast<Key>(key)); !said.empty()) say(std::move(said));
}

// On an error nothing changes. Returns whether the change was made.
bool Controller::apply(const Settings& next, const std::string& label, const std::string& key) {
  end_turns();
  keep_scene();
  try {
    source_.apply(next, label, key);
  } catch (const Error& error) {
    say(error.what(), Severity::error);
    return false;
  }
  if (next.workload != state_.requested.workload) change_workload(next.workload);
  state_.requested = next;
  state_.message.clear();
  if (const std::string running = state_.running_behind(); !running.empty())
    say(fmt::format("the screen is frozen on {}; Space shows {}", state_.title(), running));
  return true;
}

// A change that can be undone. `already` is said if there is nothing to change.
bool Controller::change_to(const Settings& next, const std::string& label, const std::string& key,
                           std::string already) {
  const Settings before = state_.requested;
  if (next == before) {
    say(std::move(already));
    return false;
  }
  if (!apply(next, label, key)) return false;
  remember(undo_, Step{before, base_});
  redo_.clear();
  return true;
}

// Values that this machine does not have are skipped.
void Controller::press_knob(const HotKey& hot) {
  Settings next = state_.requested;
  std::string skipped;
  for (int i = 0; i < kMostValues; ++i) {
    hot.press(next);
    const std::string obstacle = source_.obstacle(next, hot.knob);
    if (obstacle.empty() || next == state_.requested) break;
    if (skipped.empty()) skipped = fmt::format("{}: {}", hot.value(next), obstacle);
    if (hot.knob == "pages") {  // each of its keys is for one kind
      next = state_.requested;
      break;
    }
  }
  // Two keys change `wait`, each a part of it.
  const std::string_view what = hot.knob == "wait" ? hot.label : hot.knob;
  const std::string label = fmt::format("{} {}", what, hot.value(next));
  const std::string already = skipped.empty() ? label + " is already at its limit" : skipped;
  if (change_to(next, label, std::string(1, hot.key), already) && !skipped.empty()) say(skipped);
}

// One operation of that role; the first one begins the steps.
void Controller::step(int n) {
  const bool writes = n == 0;
  if (state_.requested.workload != WorkloadKind::pipe) return say("only a pipe has single steps");
  Settings next = state_.requested;
  next.pipe.slow_motion = next.pipe.single_step = true;
  const bool begins = next != state_.requested;
  if (begins && !change_to(next, "single steps", writes ? "[" : "]", {})) return;
  if (!source_.step(static_cast<Role>(n)))
    say(writes ? "the last write still waits for room in the ring; ] reads"
               : "the last read still waits for data; [ writes");
  else if (!begins)
    state_.message.clear();
  else
    say("single steps: [ writes once, ] reads once, m goes on in slow motion");
}

void Controller::switch_counters() {
  const bool shared = shown_->bpf_counters == BpfCounters::percpu;
  source_.count(shared ? BpfCounters::shared : BpfCounters::percpu);
  say(shared ? "BPF counters: shared, one record and atomic adds"
             : "BPF counters: percpu, one record per CPU");
}

void Controller::press_preset(int index) {
  const Key key = U'1' + static_cast<Key>(index);
  if (static_cast<size_t>(index) >= state_.presets.size()) {
    say(fmt::format("there are only {} presets", state_.presets.size()));
    return;
  }
  const Preset& preset = state_.presets[static_cast<size_t>(index)];
  const Settings before = state_.requested, after = preset.from(before);
  const std::string back = taken_back(base_, before, after);
  if (!change_to(after, "preset " + preset.name, key_text(key),
                 "already on preset " + preset.name)) {
    if (after == before) base_ = after;
    return;
  }
  base_ = after;
  if (!state_.message.empty()) return;  // the screen is frozen
  if (!back.empty())
    say(fmt::format("{}: also {}", preset.name, back));
  else
    say(preset.title.empty() ? preset.name : preset.title);
}

// To the newest of `from`; what is left behind goes to `to`.
bool Controller::go(Steps& from, Steps& to, const std::string& label, Key key) {
  if (from.empty()) {
    say(fmt::format("nothing to {}", label));
    return false;
  }
  const Step now{state_.requested, base_};
  if (!apply(from.back().settings, label, key_text(key))) return false;
  base_ = from.back().base;
  from.pop_back();
  remember(to, now);
  return true;
}

void Controller::undo() { go(undo_, redo_, "undo", U'u'); }
void Controller::redo() { go(redo_, undo_, "redo", U'U'); }

void Controller::baseline() {
  if (!change_to(start_, "baseline", "0", "already at the initial settings")) return;
  base_ = start_;
  if (state_.message.empty()) say("back to the initial settings");
}

void Controller::freeze() {
  state_.frozen = !state_.frozen;
  state_.frozen_on.reset();
  if (!state_.frozen) return state_.message.clear();  // it may say what Space would show
  kept_ = *shown_;
  shown_ = &kept_;
  state_.frozen_on = kept_.requested;
}

void Controller::compare() {
  using Compare = DashboardState::Compare;
  switch (state_.next_compare()) {
    case Compare::keep_a:
      return keep_a();
    case Compare::take_turns:
      state_.turns.emplace(latest_.now_ns);
      state_.turns_b = state_.requested;
      return state_.message.clear();
    case Compare::stop:
      return end_turns();
    case Compare::drop_a:
      state_.reference = {};
      state_.turns.reset();
      say("comparing with the previous segment again");
  }
}

void Controller::keep_a() {
  Segment a = source_.segment();
  if (state_.frozen && a.number != shown_->throughput.current.number)
    return say("the screen is frozen on an earlier segment; Space first, then a");
  state_.reference = {std::make_shared<const Segment>(std::move(a)), true};
  say(fmt::format("comparing with A: \"{}\"; change something, and a compares in turns",
                  state_.reference.segment->label));
}

// With every snapshot, also while the screen is frozen.
void Controller::take_turns() {
  if (!state_.take_turns()) return;
  const auto side =
      state_.turns->add(latest_.now_ns, latest_.effective.settled, latest_.throughput.progress());
  if (state_.turns->ended()) say(state_.turns->words());
  apply_turn(side);
}

void Controller::end_turns() {
  if (!state_.take_turns()) return;
  const auto side = state_.turns->stop();
  say(state_.turns->words());
  apply_turn(side);
}

// What is requested stays B: that is what the user's keys change.
void Controller::apply_turn(std::optional<Turns::Side> side) {
  if (!side) return;
  const bool is_a = *side == Turns::Side::a;
  try {
    source_.apply(is_a ? state_.reference.segment->requested : state_.turns_b,
                  is_a ? "A in turns" : "B in turns", "a");
  } catch (const Error& error) {
    state_.turns->stop();
    say(error.what(), Severity::error);
  }
}

// What lies over the dashboard, the topmost first. False: there is nothing.
bool Controller::close_overlay() {
  if (close_page()) return true;
  if (state_.zoom) {
    state_.zoom.reset();
    return true;
  }
  if (state_.ring.inspected) {
    state_.ring.inspected.reset();
    return true;
  }
  return drop_filter();
}

void Controller::close() {
  if (close_overlay()) return;
  if (state_.take_turns()) return end_turns();
  select_nothing(state_.list(state_.focus));
  state_.list(state_.focus).scroll = 0;
  state_.message.clear();
}

void Controller::quit() {
  if (!close_overlay()) leave<Outcome::quit>();
}

int Controller::page_rows() const {
  return std::max(1, layout().fits ? function_rows(list_of(layout(), state_.focus)) : 1);
}

PageState* Controller::open_page() {
  if (PageState* page = Screen::open_page()) return page;
  if (state_.ladder.open) return &state_.ladder;
  return state_.log.open ? &state_.log : nullptr;
}

void Controller::move(int lines) { move_selection(state_.list(state_.focus), lines); }

bool Controller::inspect(Key key) {
  if (!state_.ring.inspected || state_.help.open || !layout().fits || shows_parts(*shown_, state_))
    return false;
  return press_slots(state_.ring, slots(), key);
}

std::optional<SlotsPlace> Controller::slots() const {
  return place_slots(inside(layout(), layout().ring), shown_->ring, state_.ring, pace_of(*shown_));
}

void Controller::press_parts() {
  if (terms_of(state_.requested).has_ring)
    state_.parts = !shows_parts(*shown_, state_);
  else
    say("there is no ring to show");
}

void Controller::press_roof() {
  if (!state_.roof_gib_per_s)
    say("the roof is unknown: start pipetop with --roof");
  else
    state_.roof_hidden = !state_.roof_hidden;
}

void Controller::press_inspect() {
  if (terms_of(state_.requested).has_ring) state_.parts = false;
  const std::string text = toggle_inspection(state_.ring, shown_->ring);
  if (!text.empty()) say(text);
}

// Without them the talk goes on.
void Controller::serve_notes() {
  try {
    notes_.emplace(notes_directories(), notes_owner());
  } catch (const Error& error) {
    say(std::string("pipetop notes will not work: ") + error.what(), Severity::warning);
  }
}

// What is expected is compared once a second: readers get only what changes.
void Controller::serve_page() {
  constexpr uint64_t kInterval_ns = 1'000'000'000;
  if (!notes_ || !state_.talk.at) return;
  if (state_.talk.now_ns >= checks_due_ns_) {
    checks_due_ns_ = state_.talk.now_ns + kInterval_ns;
    checks_ = is_in_force() ? checks_of(state_.talk.scenes, *state_.talk.at, latest_)
                            : std::vector<NotesCheck>();
  }
  NotesPage page = notes_of(state_);
  page.checks = checks_;
  notes_->serve(page);
}

bool Controller::handle_events() {
  source_.handle_events();
  return true;
}

bool Controller::tick(uint64_t viewer_ns) {
  if (watched_ && watch_source_) return tick_watched(viewer_ns);
  latest_ = source_.tick();
  const bool replay = source_.replay() != nullptr, recorded = source_.is_recorded();
  if (every_snapshot_ && !recorded) every_snapshot_(latest_);
  set_time(latest_.now_ns, replay ? viewer_ns : latest_.now_ns);
  take_turns();
  go_on(latest_);
  compare_scenes();
  serve_page();
  // A recording holds what was shown.
  if (!recorded) whole_frames_.replace_torn(latest_.ring);
  if (!recorded && holds_figures_)
    held_.hold(latest_, state_.show.on ? kShowHolds_ns : kDashboardHolds_ns);
  if (!state_.frozen) shown_ = &latest_;
  if (recorded) follow_recorded_pipeline();
  return true;
}

// Of our own pipe, which stands still, the last snapshot stays.
bool Controller::tick_watched(uint64_t viewer_ns) {
  const uint64_t begun_ns = state_.talk.entered_ns;
  set_time(viewer_ns);
  watched_->set_recording(state_.recording);
  watched_->tick(viewer_ns);
  if (const auto now = watched_->latest()) go_on(*now);
  if (begun_ns == state_.talk.entered_ns) serve_page();
  return true;
}

void Controller::follow_recorded_pipeline() {
  if (!latest_.watched) {
    watched_.reset();
    return;
  }
  if (!watched_) {
    recorded_ = std::make_shared<RecordedPipeline>(latest_.host ? latest_.host->cpus : 0);
    watched_ = std::make_unique<WatchController>(
        *recorded_, WatchStart{.pipeline = true, .recorded = true, .replay = source_.replay()});
  }
  recorded_->show(latest_);
  watched_->tick(latest_.now_ns);
}

void Controller::record(Tape& tape) {
  if (source_.has_fallback() && source_.replay()) return;
  const TalkState& talk = state_.talk;
  if (talk.at && std::exchange(recorded_scene_ns_, talk.entered_ns) != talk.entered_ns)
    // By a key right after a frame of the scene before, which may be of that very moment.
    tape.begin_scene(std::max(talk.entered_ns, recorded_ns_ + 1),
                     static_cast<uint32_t>(number_of(talk.scenes, *talk.at)),
                     talk.scenes[*talk.at]);
  recorded_ns_ = talk.now_ns;
  if (watched_) return watched_->record(tape);
  add_to(tape, latest_);
}

void check_terminal(const Config& config) { require_terminal(config); }

int run_dashboard(Source& source, const Config& config, const DashboardOptions& options) {
  Controller controller(source, config.settings, config.presets);
  controller.set_roof(options.roof_gib_per_s);
  controller.compare_with(options.against);
  controller.set_show(config.show);
  controller.hold_figures();
  controller.tell_snapshots(options.every_snapshot);
  controller.open_scenes_by(options.open_scene);
  controller.begin_talk(config.scenes, options.present ? &*options.present : nullptr);
  if (options.present) controller.serve_notes();
  const int exit_code =
      run_screen(controller, config, {.tape = options.tape, .save_picture = options.save_picture});
  const std::vector<std::string> left = controller.end_watching();
  if (options.say) std::ranges::for_each(left, options.say);
  return exit_code == 0 && !left.empty() ? static_cast<int>(Exit::refused) : exit_code;
}

}  // namespace pipetop::tui

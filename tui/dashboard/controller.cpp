#include "tui/dashboard/controller.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "tui/dashboard/list_keys.h"
#include "tui/dashboard/slot_inspection.h"
#include "tui/draw/text_width.h"
#include "tui/state/layout.h"
#include "tui/widgets/help.h"
#include "tui/widgets/parts.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/segment_log.h"
#include "tui/widgets/worker.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kHintStays_ns = 3'000'000'000;
constexpr uint64_t kErrorStays_ns = 10'000'000'000;

std::string key_text(Key key) {
  std::string text;
  append_utf8(text, key);
  return text;
}

bool is_printable(Key key) { return key > 0x20 && key != 0x7F && key < 0x110000; }

}  // namespace

Controller::Controller(Source& source, const Settings& start, std::span<const Preset> presets)
    : source_(source), start_(start) {
  view_.requested = start;
  view_.presets = presets;
}

void Controller::say(std::string text, Severity severity) {
  view_.message = std::move(text);
  view_.severity = severity;
  message_until_ns_ = view_.now_ns + (severity == Severity::info ? kHintStays_ns : kErrorStays_ns);
}

void Controller::set_time(uint64_t now_ns) {
  view_.now_ns = now_ns;
  if (now_ns >= message_until_ns_) view_.message.clear();
}

void Controller::show(const Snapshot& shown, int rows, int cols) {
  rows_ = rows;
  cols_ = cols;
  const RingFrame* frame = drawable_frame(shown.ring);
  if (pace_of(shown) == Pace::normal) {
    view_.ring.trail.clear();
  } else if (frame) {
    view_.ring.trail.see(*frame);
  }
  settle(shown);
}

// After what was done: the next key may come before the next frame.
void Controller::settle(const Snapshot& shown) {
  show_lists(view_, shown, rows_, cols_);
  if (view_.help)
    view_.help_scroll = std::clamp(view_.help_scroll, 0, help_scroll_end(rows_, cols_, view_));
  if (view_.log)
    view_.log_scroll = std::clamp(view_.log_scroll, 0, log_scroll_end(rows_, cols_, shown));
}

Outcome Controller::handle(const Input& input, const Snapshot& shown) {
  Outcome outcome = Outcome::stay;
  if (input.kind == Input::Kind::mouse) {
    outcome = handle(input.mouse, shown);
  } else if (input.kind == Input::Kind::key && !edit_filter(view_, input.key)) {
    outcome = act(command_for(input.key, view_.requested), input.key, shown);
  }
  settle(shown);
  return outcome;
}

Outcome Controller::act(const KeyCommand& command, Key key, const Snapshot& shown) {
  if (inspected(key, shown)) return Outcome::stay;
  switch (command.act) {
    case Act::suspend:
      return Outcome::suspend;
    case Act::quit:
      return Outcome::quit;
    case Act::abort:
      return Outcome::abort;
    case Act::redraw:
      return Outcome::redraw_all;
    case Act::mouse:
      return Outcome::toggle_mouse;
    case Act::counters:
      switch_counters(shown);
      break;
    case Act::knob:
      press_knob(command.n);
      break;
    case Act::preset:
      press_preset(command.n);
      break;
    case Act::undo:
      undo();
      break;
    case Act::baseline:
      baseline();
      break;
    default:
      act_on_screen(command, key, shown);
  }
  return Outcome::stay;
}

void Controller::act_on_screen(const KeyCommand& command, Key key, const Snapshot& shown) {
  if (page_scroll() && scroll_page(command)) return;
  if (const auto word = act_on_lists(view_, command, page_rows())) {
    if (!word->empty()) say(*word, Severity::info);
    return;
  }
  switch (command.act) {
    case Act::freeze:
      view_.frozen = !view_.frozen;
      break;
    case Act::focus:
      if (has_role(view_.requested, Role::reader))
        view_.focus = view_.focus == Role::writer ? Role::reader : Role::writer;
      break;
    case Act::compare:
      compare();
      break;
    case Act::log:
      view_.log = !view_.log;
      view_.log_scroll = 0;
      break;
    case Act::inspect:
      press_inspect(shown);
      break;
    case Act::picture:
      say(fmt::format("ring: {}", next_picture(view_.ring)), Severity::info);
      break;
    case Act::parts:
      press_parts(shown);
      break;
    case Act::roof:
      press_roof();
      break;
    case Act::help:
      view_.help = !view_.help;
      view_.help_scroll = 0;
      break;
    case Act::close:
      close();
      break;
    default:
      if (is_printable(key))
        say(fmt::format("{} does nothing here; ? shows the keys", key_text(key)), Severity::info);
  }
}

// An error leaves everything as it was. Returns whether the change was made.
bool Controller::change_to(const Settings& next, const std::string& label, Key key) {
  try {
    source_.apply(next, label, key_text(key));
  } catch (const Error& error) {
    say(error.what(), Severity::error);
    return false;
  }
  view_.requested = next;
  view_.message.clear();
  return true;
}

void Controller::press_knob(int index) {
  const HotKey& hot = hot_keys(view_.requested)[static_cast<size_t>(index)];
  const Settings before = view_.requested;
  Settings next = before;
  hot.press(next);
  // Two keys turn `wait`, each a part of it.
  const std::string_view what = hot.knob == "wait" ? hot.label : hot.knob;
  const std::string label = fmt::format("{} {}", what, hot.value(next));
  if (next == before) {
    say(label + " is as far as it goes", Severity::info);
  } else if (change_to(next, label, static_cast<Key>(hot.key))) {
    undo_.push_back(before);
  }
}

void Controller::switch_counters(const Snapshot& shown) {
  const bool shared = shown.bpf_counters == BpfCounters::percpu;
  source_.count(shared ? BpfCounters::shared : BpfCounters::percpu);
  say(shared ? "BPF counters: shared, one record and atomic adds"
             : "BPF counters: percpu, a record a CPU",
      Severity::info);
}

void Controller::press_preset(int index) {
  const Key key = U'1' + static_cast<Key>(index);
  if (static_cast<size_t>(index) >= view_.presets.size()) {
    say(fmt::format("there are only {} presets", view_.presets.size()), Severity::info);
    return;
  }
  const Preset& preset = view_.presets[static_cast<size_t>(index)];
  const Settings before = view_.requested;
  if (preset.settings == before) {
    say(fmt::format("{} it is already", preset.name), Severity::info);
  } else if (change_to(preset.settings, "preset " + preset.name, key)) {
    undo_.push_back(before);
    say(preset.title.empty() ? preset.name : preset.title, Severity::info);
  }
}

void Controller::undo() {
  if (undo_.empty()) {
    say("nothing to undo", Severity::info);
  } else if (change_to(undo_.back(), "undo", U'u')) {
    undo_.pop_back();
  }
}

void Controller::baseline() {
  const Settings before = view_.requested;
  if (before == start_) {
    say("these are the settings at the start", Severity::info);
  } else if (change_to(start_, "baseline", U'0')) {
    undo_.push_back(before);
    say("baseline: the settings at the start", Severity::info);
  }
}

void Controller::compare() {
  if (view_.reference.is_a) {
    view_.reference = {};
    say("compared with the segment before again", Severity::info);
    return;
  }
  view_.reference = reference_of(std::make_shared<const Segment>(source_.segment()), true);
  say(fmt::format("A is \"{}\"; a again lets go of it", view_.reference.segment->label),
      Severity::info);
}

void Controller::close() {
  if (view_.help) {
    view_.help = false;
  } else if (view_.log) {
    view_.log = false;
  } else if (!drop_filter(view_)) {
    select_nothing(view_.list(view_.focus));
    view_.message.clear();
  }
}

int Controller::page_rows() const {
  const Layout layout = make_layout(rows_, cols_, view_.requested);
  if (!layout.fits) return 1;
  const Rect list = inside(layout, layout.writer);
  return function_rows(list.rows, list.cols);
}

int* Controller::page_scroll() {
  if (view_.help) return &view_.help_scroll;
  return view_.log ? &view_.log_scroll : nullptr;
}

// show() keeps it within the page. Returns whether the command scrolls at all.
bool Controller::scroll_page(const KeyCommand& command) {
  constexpr int kAll = 1 << 20;
  int& scroll = *page_scroll();
  switch (command.act) {
    case Act::move:
      scroll += command.n;
      return true;
    case Act::page:
      scroll += command.n * std::max(1, page_rows());
      return true;
    case Act::first:
    case Act::last:
      scroll = command.act == Act::first ? 0 : kAll;
      return true;
    default:
      return false;
  }
}

bool Controller::inspected(Key key, const Snapshot& shown) {
  const Layout layout = make_layout(rows_, cols_, view_.requested);
  if (view_.help || !layout.fits || shows_parts(shown, view_)) return false;
  return inspect(view_.ring, key, shown, inside(layout, layout.ring));
}

void Controller::press_parts(const Snapshot& shown) {
  if (terms_of(view_.requested).has_ring)
    view_.parts = !shows_parts(shown, view_);
  else
    say("there is no ring to show instead", Severity::info);
}

void Controller::press_roof() {
  if (!view_.roof_gib_per_s)
    say("no roof is known: start pipetop with --roof", Severity::info);
  else
    view_.roof_hidden = !view_.roof_hidden;
}

void Controller::press_inspect(const Snapshot& shown) {
  if (terms_of(view_.requested).has_ring) view_.parts = false;
  const std::string words = toggle_inspection(view_.ring, shown.ring);
  if (!words.empty()) say(words, Severity::info);
}

}  // namespace pipetop::tui

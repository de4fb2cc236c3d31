#include "tui/dashboard/controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/error.h"
#include "engine/knobs.h"
#include "tui/dashboard/layout.h"
#include "tui/dashboard/slot_inspection.h"
#include "tui/dashboard/text_width.h"
#include "tui/widgets/help.h"
#include "tui/widgets/key_bar.h"
#include "tui/widgets/ring.h"
#include "tui/widgets/worker.h"

namespace pipetop::tui {
namespace {

constexpr uint64_t kHintStays_ns = 3'000'000'000;
constexpr uint64_t kErrorStays_ns = 10'000'000'000;
constexpr int kWheelLines = 3;

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
  for (const Role role : {Role::writer, Role::reader})
    follow(view_.list(role), shown.worker(role).functions, page_rows());
  if (view_.help)
    view_.help_scroll = std::clamp(view_.help_scroll, 0, help_scroll_end(rows, cols, view_));
}

Outcome Controller::handle(const Input& input, const Snapshot& shown) {
  switch (input.kind) {
    case Input::Kind::key:
      return act(command_for(input.key), input.key, shown);
    case Input::Kind::mouse:
      if (input.mouse.act == MouseAct::press) return click(input.mouse, shown);
      wheel(input.mouse, shown, input.mouse.act == MouseAct::wheel_up ? -kWheelLines : kWheelLines);
      break;
    case Input::Kind::none:
      break;
  }
  return Outcome::stay;
}

Outcome Controller::act(const Command& command, Key key, const Snapshot& shown) {
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

void Controller::act_on_screen(const Command& command, Key key, const Snapshot& shown) {
  constexpr int kAll = 1 << 20;
  switch (command.act) {
    case Act::freeze:
      view_.frozen = !view_.frozen;
      break;
    case Act::focus:
      view_.focus = view_.focus == Role::writer ? Role::reader : Role::writer;
      break;
    case Act::move:
      move(shown, command.n);
      break;
    case Act::page:
      move(shown, command.n * std::max(1, page_rows()));
      break;
    case Act::first:
      move(shown, -kAll);
      break;
    case Act::last:
      move(shown, kAll);
      break;
    case Act::inspect:
      press_inspect(shown);
      break;
    case Act::picture:
      say(fmt::format("ring: {}", next_picture(view_.ring)), Severity::info);
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
  const HotKey& hot = hot_keys()[static_cast<size_t>(index)];
  const Settings before = view_.requested;
  Settings next = before;
  hot.press(next);
  const std::string label = fmt::format("{} {}", hot.knob, hot.value(next));
  if (next == before) {
    say(label + " is as far as it goes", Severity::info);
  } else if (change_to(next, label, static_cast<Key>(hot.key))) {
    undo_.push_back(before);
  }
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

void Controller::close() {
  if (view_.help) {
    view_.help = false;
  } else {
    view_.list(view_.focus) = {};
    view_.message.clear();
  }
}

int Controller::page_rows() const {
  const Layout layout = make_layout(rows_, cols_);
  if (!layout.fits) return 1;
  const Rect list = inside(layout, layout.writer);
  return function_rows(list.rows, list.cols);
}

void Controller::move(const Snapshot& shown, int lines) {
  if (view_.help) {
    view_.help_scroll =
        std::clamp(view_.help_scroll + lines, 0, help_scroll_end(rows_, cols_, view_));
    return;
  }
  const Reading<FunctionTable>& functions = shown.worker(view_.focus).functions;
  if (!functions.has_value() || functions->rows.empty()) return;
  ListState& list = view_.list(view_.focus);
  const int last = static_cast<int>(functions->rows.size()) - 1;
  // The first press selects what is at the top of the list.
  const int from = list.selected < 0 ? list.scroll - (lines == 1 ? 1 : 0) : list.selected;
  list.selected = std::clamp(from + lines, 0, last);
  list.name = functions->rows[static_cast<size_t>(list.selected)].name;
  follow(list, functions, page_rows());
}

// The wheel moves the list under a selection, which then gives way.
void Controller::scroll(const Snapshot& shown, Role role, int lines) {
  ListState& list = view_.list(role);
  list.selected = -1;
  list.scroll += lines;
  follow(list, shown.worker(role).functions, page_rows());
}

bool Controller::inspected(Key key, const Snapshot& shown) {
  const Layout layout = make_layout(rows_, cols_);
  if (view_.help || !layout.fits) return false;
  return inspect(view_.ring, key, shown, inside(layout, layout.ring));
}

void Controller::press_inspect(const Snapshot& shown) {
  const std::string words = toggle_inspection(view_.ring, shown.ring);
  if (!words.empty()) say(words, Severity::info);
}

Outcome Controller::click(const Mouse& mouse, const Snapshot& shown) {
  if (view_.help) {
    close();
    return Outcome::stay;
  }
  const Layout layout = make_layout(rows_, cols_);
  if (!layout.fits) return Outcome::stay;
  if (layout.keys.contains(mouse.row, mouse.col)) {
    const auto items = place_keys(layout.keys, shown, view_);
    const Key key = key_at(items, mouse.row - layout.keys.row, mouse.col);
    return key == 0 ? Outcome::stay : act(command_for(key), key, shown);
  }
  if (layout.writer.contains(mouse.row, mouse.col)) view_.focus = Role::writer;
  if (layout.reader.contains(mouse.row, mouse.col)) view_.focus = Role::reader;
  const Rect ring = inside(layout, layout.ring);
  if (const auto slot =
          slot_at(ring.rows, ring.cols, shown, view_, mouse.row - ring.row, mouse.col - ring.col))
    view_.ring.inspected = slot;
  return Outcome::stay;
}

void Controller::wheel(const Mouse& mouse, const Snapshot& shown, int lines) {
  if (view_.help) {
    move(shown, lines);
    return;
  }
  const Layout layout = make_layout(rows_, cols_);
  if (layout.writer.contains(mouse.row, mouse.col)) scroll(shown, Role::writer, lines);
  if (layout.reader.contains(mouse.row, mouse.col)) scroll(shown, Role::reader, lines);
}

}  // namespace pipetop::tui

#include "tui/widgets/list_state.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/judge/glossary.h"
#include "tui/draw/text.h"

namespace pipetop::tui {
namespace {

CallProfile profile_of(const FunctionTable& functions) {
  return {functions.tree, functions.samples, 1, {}};
}
CallProfile profile_of(const BlockedTable& blocked) { return {blocked.tree, blocked.ns, 1, {}}; }

// Makes the profile of a role, now or during a segment; as shares of wall time if `wall`.
template <class Observed>
Reading<CallProfile> profile_of(const Observed& role, Activity activity, bool wall) {
  const auto reading_of = [](const auto& table) -> Reading<CallProfile> {
    if (!table.has_value()) return {table.status, {}, table.reason};
    return {table.status, profile_of(*table), table.reason};
  };
  Reading<CallProfile> profile =
      activity == Activity::running ? reading_of(role.functions) : reading_of(role.blocked);
  if (!profile.has_value() || !wall) return profile;
  return of_wall_time(*std::move(profile.value), activity, role.shares);
}

std::optional<CallProfile> profile_before(const SegmentRole* before, const ListChoice& choice) {
  if (!before) return std::nullopt;
  auto profile = profile_of(*before, choice.activity, choice.wall);
  if (profile.has_value() && profile->whole == 0) return std::nullopt;
  return std::move(profile.value);
}

// The row with the selection's path, else the nearest one with its name, else the
// row now in its place.
int find_selection(const ListState& list) {
  const auto rows = rows_of(list);
  const auto found = std::ranges::find(rows, list.path, &CallRow::path);
  if (found != rows.end()) return static_cast<int>(found - rows.begin());
  const int count = static_cast<int>(rows.size());
  int nearest = std::min(list.selected, count - 1), distance = count;
  for (int i = 0; i < count; ++i) {
    if (rows[static_cast<size_t>(i)].name != list.name) continue;
    if (std::abs(i - list.selected) >= distance) continue;
    distance = std::abs(i - list.selected);
    nearest = i;
  }
  const bool heading = nearest >= 0 && rows[static_cast<size_t>(nearest)].is_heading();
  return nearest + (heading ? 1 : 0);
}

constexpr Key kDelete = 0x7F;

// The selected row; selects the top one if there is none.
const CallRow* row_to_open(ListState& list) {
  if (!selected_row(list)) select(list, list.scroll);
  const CallRow* row = selected_row(list);
  return row && row->fold != Fold::none ? row : nullptr;
}

void erase_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// Lists a role or a stage, compared with what it was `before`, if that is known.
template <class Observed>
void make_contents(ListContents& contents, const Observed& w, const SegmentRole* before,
                   std::string_view reference, const ListChoice& choice, const Folds& folds) {
  const bool running = choice.activity == Activity::running;
  const bool observed = running ? w.functions.has_value() : w.blocked.has_value();
  contents.processes = w.processes;
  contents.what = observed && choice.wall ? "shares of the wall time"
                  : running               ? "functions"
                                          : "blocked time";
  Reading<CallProfile> now = profile_of(w, choice.activity, choice.wall);
  if (now.has_value() && choice.form == ListForm::tree && !now->tree->paths) {
    contents.what = "the tree";
    now = Reading<CallProfile>::unavailable("callers were not recorded; f shows the functions");
  }
  if (!now.has_value()) {
    contents.rows = {now.status, {}, now.reason};
    contents.source = {};
    return;
  }
  contents.count = running ? w.functions->samples : w.blocked->times;
  contents.lost = running ? w.functions->lost : w.blocked->lost;
  contents.error = running ? w.functions->share_error() : 0;
  contents.ns_until_exact = running ? w.functions->ns_until_exact() : 0;
  ListContents::Source source{*std::move(now.value),
                              profile_before(before, choice),
                              {choice.form, choice.sort(), choice.filter},
                              &folds,
                              folds.version()};
  // Shares without a total are not vanished shares.
  if (source.now.whole == 0 && !choice.wall) source.before.reset();
  contents.compared = source.before.has_value();
  contents.reference = reference;
  if (contents.rows.has_value() && source == contents.source) return;
  contents.source = std::move(source);
  const ListContents::Source& made = contents.source;
  contents.rows = Reading<CallRows>::of(
      make_rows(made.now, made.before ? &*made.before : nullptr, made.choice, folds));
  contents.rows.status = now.status;
}

constexpr auto kOpen = does<&ListScreen::open_row>;
constexpr KeyRow kListKeys[] = {
    {U'f', does<&ListScreen::toggle_form>, 0, {"f", "flat function list, or call tree"}},
    {U'+', kOpen, 0, {"+ Enter", "open or close the selected row"}},
    {key::enter, kOpen},
    {U'e', does<&ListScreen::open_rows>, 0, {"e", "open or close all rows below it"}},
    {U'E', does<&ListScreen::open_all_rows>, 0, {"E C", "open all, close all"}},
    {U'C', does<&ListScreen::close_all_rows>},
    {U'o', does<&ListScreen::toggle_sort>, 0, {"o", "sort by self, or by self and children"}},
    {U'/', does<&ListScreen::begin_filter>, 0, {"/", "filter functions by name"}},
    {U'w', does<&ListScreen::toggle_activity>, 0, {"w", "where processes run, or where they wait"}},
    {U'%', does<&ListScreen::toggle_wall>, 0, {"%", "shares of samples, or of wall time"}},
};

}  // namespace

const std::vector<HotFunction>& HottestFunctions::of(const FunctionTable& functions) const {
  const auto found = found_.find(functions.tree);
  if (found != found_.end()) return found->second;
  std::erase_if(found_, [](const auto& other) { return other.first.expired(); });
  std::vector<HotFunction>& rows = found_[functions.tree];
  for (const FunctionRow& row : functions.rows())
    rows.push_back({row.name, functions.share(row.self_samples)});
  return rows;
}

std::vector<HotFunction> HottestFunctions::first(const FunctionTable& functions, size_t count,
                                                 std::string_view kept) const {
  const std::vector<HotFunction>& all = of(functions);
  std::vector<HotFunction> rows(all.begin(), all.begin() + std::min(count, all.size()));
  const auto is_kept = [&](const HotFunction& row) { return same_function(row.name, kept); };
  if (kept.empty() || count == 0 || all.empty() || std::ranges::any_of(rows, is_kept)) return rows;
  const auto found = std::ranges::find_if(all, is_kept);
  if (rows.size() == count) rows.pop_back();
  rows.push_back(found == all.end() ? HotFunction{kept, 0} : *found);
  return rows;
}

std::string counted_text(double share, uint64_t samples) {
  return fmt::format("{:.0f}/{}", share * static_cast<double>(samples), samples);
}

Reading<CallProfile> of_wall_time(CallProfile profile, Activity activity, const TimeShares& wall) {
  for (const Reading<double>* part : {&wall.on_cpu, &wall.runnable, &wall.blocked}) {
    if (!part->has_value()) return {part->status, {}, part->reason};
  }
  const bool running = activity == Activity::running;
  profile.scale = running ? *wall.on_cpu : *wall.blocked;
  profile.beside = {{{running ? "[blocked]" : "[running]", running ? *wall.blocked : *wall.on_cpu},
                     {"[runnable]", *wall.runnable}}};
  return Reading<CallProfile>::of(std::move(profile));
}

void refresh(ListContents& contents, const WorkerReadings& worker, const Reference& reference,
             const ListChoice& choice, const Folds& folds) {
  const SegmentRole* before = reference.segment ? &reference.segment->role(worker.role) : nullptr;
  make_contents(contents, worker, before, reference.name(), choice, folds);
}

void refresh(ListContents& contents, const SegmentRole& stage, const SegmentRole* before,
             std::string_view reference, const ListChoice& choice, const Folds& folds) {
  make_contents(contents, stage, before, before ? reference : "", choice, folds);
}

std::span<const CallRow> rows_of(const ListState& list) {
  const Reading<CallRows>& rows = list.contents.rows;
  return rows.has_value() ? std::span<const CallRow>(*rows) : std::span<const CallRow>();
}

const CallRow* row_of(std::span<const CallRow> rows, std::string_view function) {
  const auto found = std::ranges::find_if(
      rows, [&](const CallRow& row) { return same_function(row.name, function); });
  return found != rows.end() && found->novelty != Novelty::vanished ? &*found : nullptr;
}

const CallRow* selected_row(const ListState& list) {
  const auto rows = rows_of(list);
  const auto index = static_cast<size_t>(list.selected);
  return index < rows.size() ? &rows[index] : nullptr;
}

void select(ListState& list, int row) {
  list.selected = row;
  const CallRow* selected = selected_row(list);
  list.path = selected ? selected->path : 0;
  list.name = selected ? selected->name : "";
}

void select_nothing(ListState& list) { select(list, -1); }

void keep_in_view(ListState& list, int visible) {
  if (!list.contents.rows.has_value()) return;
  const int count = static_cast<int>(rows_of(list).size());
  visible = std::max(visible, 1);
  if (list.selected >= 0 && count > 0) {
    list.selected = find_selection(list);
    list.scroll = std::clamp(list.scroll, list.selected - visible + 1, list.selected);
  }
  list.scroll = std::clamp(list.scroll, 0, std::max(0, count - visible));
}

void move_selection(ListState& list, int lines) {
  const int last = static_cast<int>(rows_of(list).size()) - 1;
  if (last < 0) return;
  // The first press selects the top of the list.
  const int from = list.selected < 0 ? list.scroll - (lines == 1 ? 1 : 0) : list.selected;
  int to = std::clamp(from + lines, 0, last);
  // The line above the vanished functions is no row to select; one of them follows.
  if (rows_of(list)[static_cast<size_t>(to)].is_heading()) to += lines < 0 && to > 0 ? -1 : 1;
  select(list, to);
}

void open_level(ListState& list, const ListChoice& choice) {
  const CallRow* row = row_to_open(list);
  if (row) list.folds_in(choice).set_level(row->path, row->fold == Fold::closed);
}

void open_entry(ListState& list, const ListChoice& choice) {
  const CallRow* row = row_to_open(list);
  if (!row) return;
  const bool all_open = row->fold == Fold::open && row->open_below;
  list.folds_in(choice).set_entry(row->path, !all_open);
}

void open_all(ListState& list, const ListChoice& choice) { list.folds_in(choice).set_all(true); }

void close_all(ListState& list, const ListChoice& choice) {
  const auto rows = rows_of(list);
  int top = selected_row(list) ? list.selected : -1;
  while (top >= 0 && rows[static_cast<size_t>(top)].parent >= 0)
    top = rows[static_cast<size_t>(top)].parent;
  select(list, top);
  list.folds_in(choice).set_all(false);
}

int function_line(const Rect& list, int row) {
  return row < list.end_row() ? std::max(-1, row - (list.end_row() - function_rows(list))) : -1;
}

bool edit_filter(std::string& filter, std::optional<std::string>& before, Key key) {
  if (!before) return false;
  if (key != key::enter && key != key::escape) return edit_text(filter, key);
  if (key == key::escape) filter = *before;
  before.reset();
  return true;
}

std::string filter_prompt(std::string_view filter) {
  return fmt::format("/{}_   Enter keeps the filter, Esc drops it", filter);
}

bool edit_text(std::string& text, Key key) {
  if (key == key::backspace || key == kDelete || key == key::ctrl('H')) {
    erase_last_character(text);
  } else if (key == key::ctrl('U')) {
    text.clear();
  } else if (key >= U' ' && key < key::up) {
    append_utf8(text, key);
  } else {
    return false;
  }
  return true;
}

KeyTable ListScreen::list_keys(uint8_t where) { return {kListKeys, false, where}; }

void ListScreen::toggle_form() {
  ListForm& form = choice().form;
  form = form == ListForm::flat ? ListForm::tree : ListForm::flat;
  say(form == ListForm::flat ? "functions; + opens callees" : "call tree; + opens a row, E all");
}

void ListScreen::toggle_sort() {
  ListSort& by = choice().sort();
  by = by == ListSort::self ? ListSort::children : ListSort::self;
  say(by == ListSort::self ? "sorted by self" : "sorted by self and children");
}

void ListScreen::toggle_activity() {
  Activity& activity = choice().activity;
  activity = activity == Activity::running ? Activity::waiting : Activity::running;
  say(activity == Activity::running ? "where the processes run, by samples"
                                    : "where the processes wait, by blocked time");
}

void ListScreen::toggle_wall() {
  choice().wall = !choice().wall;
  say(choice().wall ? "shares of wall time, with blocked and runnable time"
                    : "shares of the listed total");
}

// In a filtered tree everything is open at first.
void ListScreen::show_all_filtered() {
  for (ListState& list : lists()) list.filtered = Folds(true);
}

bool ListScreen::press_filter(Key key) {
  const std::string before = choice().filter;
  if (!edit_filter(choice().filter, choice().filter_before, key)) return false;
  if (choice().filter != before) show_all_filtered();
  return true;
}

bool ListScreen::drop_filter() {
  if (choice().filter.empty()) return false;
  choice().filter.clear();
  show_all_filtered();
  return true;
}

void ListScreen::click_list(ListState& list, const Rect& rect, int row) {
  const int line = function_line(rect, row), index = list.scroll + line;
  if (line < 0 || index >= static_cast<int>(rows_of(list).size())) return;
  if (rows_of(list)[static_cast<size_t>(index)].is_heading()) return;
  if (index == list.selected)
    open_level(list, choice());
  else
    select(list, index);
}

void ListScreen::scroll_list(ListState& list, int lines) {
  select_nothing(list);
  list.scroll += lines;
}

}  // namespace pipetop::tui

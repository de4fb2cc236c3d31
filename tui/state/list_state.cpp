#include "tui/state/list_state.h"

#include <algorithm>
#include <utility>

namespace pipetop::tui {
namespace {

template <class Table>
Reading<CallProfile> profile_reading(const Reading<Table>& table) {
  if (!table.has_value()) return {table.status, {}, table.reason};
  return {table.status, profile_of(*table), table.reason};
}

Reading<CallProfile> listed_profile(ListContents& contents, const WorkerView& w,
                                    const ListChoice& choice) {
  const bool running = choice.activity == Activity::running;
  contents.what = running ? "functions" : "blocked time";
  Reading<CallProfile> profile =
      running ? profile_reading(w.functions) : profile_reading(w.blocked);
  if (!profile.has_value() || !choice.wall) return profile;
  contents.what = "shares of the wall time";
  return of_wall_time(*std::move(profile.value), choice.activity, w.shares);
}

void count(ListContents& contents, const WorkerView& w, Activity activity) {
  contents.count = contents.lost = contents.ns = 0;
  if (activity == Activity::running && w.functions.has_value()) {
    contents.count = w.functions->samples;
    contents.lost = w.functions->lost;
  } else if (activity == Activity::waiting && w.blocked.has_value()) {
    contents.count = w.blocked->times;
    contents.lost = w.blocked->lost;
    contents.ns = w.blocked->ns;
  }
}

double largest_share(const CallRows& rows, ListSort sort) {
  double most = 0;
  for (const CallRow& row : rows) {
    if (row.depth == 0) most = std::max(most, row.share(sort));
  }
  return most;
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
  return nearest;
}

}  // namespace

void refresh(ListContents& contents, const WorkerView& w, const Reference& reference,
             const ListChoice& choice, const Folds& folds) {
  count(contents, w, choice.activity);
  contents.processes = w.processes;
  Reading<CallProfile> now = listed_profile(contents, w, choice);
  if (now.has_value() && choice.form == ListForm::tree && !now->tree->paths) {
    contents.what = "the tree";
    now = Reading<CallProfile>::unavailable("callers were not recorded; f shows the functions");
  }
  if (!now.has_value()) {
    contents.rows = {now.status, {}, now.reason};
    contents.source = {};
    return;
  }
  ListContents::Source source{*std::move(now.value),
                              reference_profile(reference, w.role, choice.activity, choice.wall),
                              {choice.form, choice.sort(), choice.filter},
                              &folds,
                              folds.version()};
  // Shares without a total are not vanished shares.
  if (source.now.whole == 0 && !choice.wall) source.before.reset();
  contents.compared = source.before.has_value();
  contents.reference = reference.name();
  if (contents.rows.has_value() && source == contents.source) return;
  contents.source = std::move(source);
  const ListContents::Source& made = contents.source;
  contents.rows = Reading<CallRows>::of(
      make_rows(made.now, made.before ? &*made.before : nullptr, made.choice, folds));
  contents.rows.status = now.status;
  contents.largest = largest_share(*contents.rows, choice.sort());
}

std::span<const CallRow> rows_of(const ListState& list) {
  const Reading<CallRows>& rows = list.contents.rows;
  return rows.has_value() ? std::span<const CallRow>(*rows) : std::span<const CallRow>();
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

}  // namespace pipetop::tui

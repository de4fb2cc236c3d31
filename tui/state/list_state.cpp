#include "tui/state/list_state.h"

#include <algorithm>
#include <utility>

namespace pipetop::tui {
namespace {

CallProfile profile_of(const FunctionTable& functions) {
  return {functions.tree, functions.samples, 1, {}};
}
CallProfile profile_of(const BlockedTable& blocked) { return {blocked.tree, blocked.ns, 1, {}}; }

// Of a role now or during a segment; as shares of wall time if `wall`.
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

std::optional<CallProfile> profile_before(const Reference& reference, Role role,
                                          const ListChoice& choice) {
  if (!reference.segment) return std::nullopt;
  auto profile = profile_of(reference.segment->role(role), choice.activity, choice.wall);
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

}  // namespace

const std::optional<FunctionRow>& TopFunctions::of(const FunctionTable& functions) const {
  const auto [entry, is_new] = found_.try_emplace(Tree(functions.tree));
  if (is_new) {
    const std::vector<FunctionRow> rows = functions.rows();
    if (!rows.empty()) entry->second = rows.front();
    std::erase_if(found_, [](const auto& other) { return other.first.expired(); });
  }
  return entry->second;
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

void refresh(ListContents& contents, const WorkerReadings& w, const Reference& reference,
             const ListChoice& choice, const Folds& folds) {
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
  ListContents::Source source{*std::move(now.value),
                              profile_before(reference, w.role, choice),
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

#include "tui/state/list_contents.h"

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

}  // namespace pipetop::tui

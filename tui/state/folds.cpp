#include "tui/state/folds.h"

namespace pipetop::tui {

// The order of functions matters.
PathId path_id(PathId parent, Function function) {
  const PathId path = ((parent ^ (parent >> 29)) + function.number() + 1) * 0xbf58476d1ce4e5b9;
  return path == 0 ? 1 : path;
}

Folds::State Folds::at(PathId path, const Rule& inherited) const {
  const auto found = marks_.find(path);
  if (found == marks_.end() || found->second.at <= inherited.since)
    return {inherited.open, inherited};
  const Mark& mark = found->second;
  return {mark.open, mark.entry ? Rule{mark.open, mark.at} : inherited};
}

void Folds::set_level(PathId path, bool open) { marks_[path] = {open, false, ++clock_}; }
void Folds::set_entry(PathId path, bool open) { marks_[path] = {open, true, ++clock_}; }

void Folds::set_all(bool open) {
  marks_.clear();
  all_ = {open, ++clock_};
}

}  // namespace pipetop::tui

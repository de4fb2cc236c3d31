#include "tui/state/folds.h"

namespace pipetop::tui {

// FNV-1a.
uint64_t name_hash(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Two names the other way round are another path.
PathId path_id(PathId parent, uint64_t hash) {
  const PathId path = (parent ^ (parent >> 29)) * 0xbf58476d1ce4e5b9 + hash;
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

#include "engine/watch/descendants.h"

namespace pipetop {
namespace {

constexpr int kMostGenerations = 1000;  // pid namespaces and races could make a circle
constexpr pid_t kInit = 1;
constexpr size_t kMostKnown = 1 << 16;

}  // namespace

bool Descendants::contains(ProcessId process, pid_t parent) {
  if (process.pid == root_) return true;
  if (process.pid == adopter_) return false;
  if (const auto known = known_.find(process); known != known_.end()) return known->second;
  const std::optional<bool> does = descends(parent != 0 ? parent : parent_of_(process.pid));
  if (known_.size() > kMostKnown)  // of others, that are asked for again if they still run
    std::erase_if(known_, [](const auto& entry) { return !entry.second; });
  if (does) known_.emplace(process, *does);
  return does.value_or(false);
}

std::optional<bool> Descendants::descends(pid_t parent) const {
  for (int i = 0; i < kMostGenerations && parent > 0; ++i) {
    if (parent == root_ || parent == adopter_) return true;
    if (parent == kInit) return false;
    parent = parent_of_(parent);
  }
  return {};
}

}  // namespace pipetop

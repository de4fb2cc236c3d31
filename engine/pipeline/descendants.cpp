#include "engine/pipeline/descendants.h"

namespace pipetop {
namespace {

constexpr int kMostGenerations = 1000;  // pid namespaces and races could make a circle
constexpr size_t kMostKnown = 1 << 16;

}  // namespace

bool Descendants::contains(ProcessId process, pid_t parent) {
  if (process.pid == root_) return true;
  if (process.pid == adopter_) return false;
  if (const auto known = known_.find(process); known != known_.end()) return known->second;
  const bool does = descends(parent != 0 ? parent : parent_of_(process.pid));
  if (known_.size() > kMostKnown)  // of others, that are asked for again if they still run
    std::erase_if(known_, [](const auto& entry) { return !entry.second; });
  known_.emplace(process, does);
  return does;
}

bool Descendants::descends(pid_t parent) const {
  for (int i = 0; i < kMostGenerations && parent > 0; ++i) {
    if (parent == root_ || parent == adopter_) return true;
    parent = parent_of_(parent);
  }
  return false;
}

}  // namespace pipetop

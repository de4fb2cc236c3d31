#include "tui/state/walked_tree.h"

#include <utility>

namespace pipetop::tui {

WalkedTree::WalkedTree(const CallProfile& profile)
    : profile_(&profile), next_(nodes().size(), kNone), first_(nodes().size(), kNone) {
  for (size_t i = nodes().size(); i-- > 0;) {
    uint32_t& head = nodes()[i].parent == kNone ? root_ : first_[nodes()[i].parent];
    next_[i] = std::exchange(head, static_cast<uint32_t>(i));
  }
}

double WalkedTree::share(uint64_t weight) const {
  if (profile_->whole == 0) return 0;
  return static_cast<double>(weight) / static_cast<double>(profile_->whole) * profile_->scale;
}

}  // namespace pipetop::tui

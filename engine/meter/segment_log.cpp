#include "engine/meter/segment_log.h"

#include <fmt/core.h>

#include <utility>

namespace pipetop {
namespace {

using Kept = std::shared_ptr<const Segment>;

// Others that still use the full segment keep their own copy.
template <class Edit>
void thin_out(Kept& kept, Edit edit) {
  auto thinner = std::make_shared<Segment>(*kept);
  for (SegmentRole& role : thinner->roles) edit(role);
  kept = std::move(thinner);
}

void drop_trees(SegmentRole& role) {
  if (role.functions.has_value()) {
    FunctionTable& table = *role.functions.value;
    table.tree = flat_tree(table.rows());
  }
  if (role.blocked.has_value())
    role.blocked = Reading<BlockedTable>::unavailable(
        fmt::format("only the last {} segments keep their call trees", SegmentLog::kWithTrees));
}

void drop_table(SegmentRole& role) {
  if (!role.functions.has_value()) return;
  role.functions = Reading<FunctionTable>::unavailable(
      fmt::format("only the last {} segments keep their functions; --segments FILE has them all",
                  SegmentLog::kWithFunctions));
}

}  // namespace

void SegmentLog::add(Segment closed) {
  closed_.push_back(std::make_shared<const Segment>(std::move(closed)));
  const size_t count = closed_.size();
  if (count > kWithTrees) thin_out(closed_[count - kWithTrees - 1], drop_trees);
  if (count > kWithFunctions) thin_out(closed_[count - kWithFunctions - 1], drop_table);
  if (count > kKept) closed_.pop_front();
}

void SegmentLog::describe(Throughput& view) const {
  view.segments.assign(closed_.begin(), closed_.end());
  view.previous = closed_.empty() ? nullptr : closed_.back();
}

}  // namespace pipetop

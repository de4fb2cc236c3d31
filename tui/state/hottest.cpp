#include "tui/state/hottest.h"

#include <algorithm>

namespace pipetop::tui {

void Hottest::update(const Reading<FunctionTable>& functions) {
  if (!functions.has_value()) {
    functions_.clear();
    tree_.reset();
    return;
  }
  const FunctionTable& table = *functions;
  if (tree_.lock() == table.tree && !functions_.empty()) return;
  tree_ = table.tree;
  functions_.clear();
  for (const FunctionRow& row : table.rows())
    functions_.push_back({row.name, table.share(row.self_samples)});
}

std::vector<HotFunction> Hottest::first(size_t count, std::string_view kept) const {
  std::vector<HotFunction> rows(functions_.begin(),
                                functions_.begin() + std::min(count, functions_.size()));
  if (kept.empty() || count == 0 || functions_.empty() ||
      std::ranges::find(rows, kept, &HotFunction::name) != rows.end())
    return rows;
  const auto found = std::ranges::find(functions_, kept, &HotFunction::name);
  if (rows.size() == count) rows.pop_back();
  rows.push_back(found == functions_.end() ? HotFunction{kept, 0} : *found);
  return rows;
}

}  // namespace pipetop::tui

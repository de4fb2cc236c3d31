#include "engine/model/functions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>
#include <unordered_map>

namespace pipetop {
namespace {

// A price of which the interval includes this is not claimed: only that it is not higher.
constexpr double kNoClaim = 0.02;

struct Names {
  std::deque<std::string> by_number;  // names never move
  std::unordered_map<std::string_view, uint32_t> numbers;
};

Names& names() {
  static Names names;
  return names;
}

}  // namespace

// Twice the standard error of a share of a half.
double FunctionTable::share_error() const {
  const uint64_t n = effective_samples();
  return n ? std::min(1.0, 0.98 / std::sqrt(double(n))) : 1;
}

uint64_t FunctionTable::ns_until_exact() const {
  const double ns = (std::pow(share_error() / kShareError, 2) - 1) * double(span_ns);
  return ns > 0 ? uint64_t(std::min(ns, 0x1p63)) : 0;  // a recording may say any span
}

void SamplingEvent::set_price(const Reading<Price>& known) {
  price = {known.status, {}, known.reason};
  if (!known.has_value()) return;
  price.value = known->share;
  price_low = known->low;
  price_high = known->high;
}

std::string SamplingEvent::rate() const {
  std::string text = fmt::format("{} Hz", hz);
  if (share < 1) text += fmt::format(" {:.0f} % of the time", 100 * share);
  return text;
}

std::string SamplingEvent::cost() const {
  if (!price.has_value()) return {};
  if (price_high < 0) return ", speeds it up";
  if (price_high < 0.01) return ", costs <1 %";
  if (price_low < kNoClaim) return fmt::format(", costs <{:.0f} %", std::ceil(100 * price_high));
  return fmt::format(", costs {:.1f} % [{:.1f} .. {:.1f}]", 100 * *price, 100 * price_low,
                     100 * price_high);
}

Function::Function(std::string_view name) : number_(static_cast<uint32_t>(count())) {
  const auto known = names().numbers.find(name);
  if (known != names().numbers.end()) {
    number_ = known->second;
  } else {
    names().numbers.emplace(names().by_number.emplace_back(name), number_);
  }
}

std::string_view Function::name() const { return names().by_number[number_]; }

size_t Function::count() { return names().by_number.size(); }

bool CallTree::is_topmost(const CallNode& node) const {
  for (uint32_t up = node.parent; up != CallNode::kNone; up = nodes[up].parent)
    if (nodes[up].function == node.function) return false;
  return true;
}

std::vector<FunctionRow> function_rows(const CallTree& tree) {
  std::vector<FunctionRow> rows;
  std::vector<size_t> row_of(Function::count(), CallNode::kNone);
  for (const CallNode& node : tree.nodes) {
    size_t& row = row_of[node.function.number()];
    if (row == CallNode::kNone) {
      row = rows.size();
      rows.push_back({node.function.name(), 0, 0});
    }
    rows[row].self_samples += node.self;
    if (tree.is_topmost(node)) rows[row].children_samples += node.total;
  }
  std::ranges::sort(rows, [](const FunctionRow& a, const FunctionRow& b) {
    return std::tie(b.self_samples, b.children_samples, a.name) <
           std::tie(a.self_samples, a.children_samples, b.name);
  });
  return rows;
}

std::shared_ptr<const CallTree> flat_tree(const std::vector<FunctionRow>& rows) {
  auto tree = std::make_shared<CallTree>();
  tree->paths = false;
  for (const FunctionRow& row : rows) {
    tree->nodes.push_back(
        {Function(row.name), CallNode::kNone, row.self_samples, row.children_samples});
    tree->total += row.self_samples;
  }
  return tree;
}

}  // namespace pipetop

#include "engine/observe/function_counter.h"

#include <algorithm>
#include <tuple>

namespace pipetop::observe {

size_t FunctionCounter::StackHash::operator()(std::span<const FunctionId> stack) const {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, a word at a time
  for (const FunctionId function : stack) hash = (hash ^ function) * 0x100000001b3;
  return hash ^ hash >> 32;
}

bool FunctionCounter::StackEqual::operator()(std::span<const FunctionId> a,
                                             std::span<const FunctionId> b) const {
  return std::ranges::equal(a, b);
}

FunctionCounter::FunctionCounter(uint64_t window_ns) : window_ns_(window_ns) {}

void FunctionCounter::add(uint64_t at_ns, std::span<const FunctionId> stack) {
  if (stack.empty()) return;
  count(stack, Sign::add);
  if (window_ns_ == 0) return;
  auto found = stacks_.find(stack);
  if (found == stacks_.end())
    found = stacks_.emplace(std::vector<FunctionId>(stack.begin(), stack.end()), 0).first;
  ++found->second;
  window_.push_back({at_ns, &*found});
}

void FunctionCounter::expire(uint64_t now_ns) {
  while (!window_.empty() && window_.front().at_ns + window_ns_ < now_ns) {
    Stacks::value_type& stack = *window_.front().stack;
    window_.pop_front();
    count(stack.first, Sign::subtract);
    if (--stack.second == 0) stacks_.erase(stacks_.find(std::span(stack.first)));
  }
}

void FunctionCounter::clear() {
  window_.clear();
  stacks_.clear();
  functions_.clear();
  samples_ = 0;
}

void FunctionCounter::count(std::span<const FunctionId> stack, Sign sign) {
  const uint64_t one = sign == Sign::add ? 1 : ~uint64_t{0};
  samples_ += one;
  for (size_t i = 0; i < stack.size(); ++i) {
    // A function that recurses is on the stack once.
    if (std::find(stack.begin(), stack.begin() + ptrdiff_t(i), stack[i]) !=
        stack.begin() + ptrdiff_t(i))
      continue;
    Row& row = functions_[stack[i]];
    row.function = stack[i];
    row.children += one;
    if (i == 0) row.self += one;
    if (row.children == 0) functions_.erase(stack[i]);
  }
}

std::vector<FunctionCounter::Row> FunctionCounter::rows() const {
  std::vector<Row> rows;
  rows.reserve(functions_.size());
  for (const auto& [id, row] : functions_) rows.push_back(row);
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return std::tuple(b.self, b.children, a.function) < std::tuple(a.self, a.children, b.function);
  });
  return rows;
}

}  // namespace pipetop::observe

#include "engine/observe/blocked_table.h"

#include <algorithm>

#include "engine/observe/call_trie.h"

namespace pipetop::observe {
namespace {

// On every stack by its nature, and saying nothing; "__schedule.constprop.0", too.
bool is_scheduler(std::string_view name) {
  return name == "schedule" || name.starts_with("__schedule");
}

// Of totals that only grow; but a role's last interval is no more counted as
// under way once its process is gone.
uint64_t growth(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

// Makes weights of that sum have another one.
void fit(std::vector<uint64_t>& weights, uint64_t sum, uint64_t wanted) {
  if (sum == wanted || sum == 0) return;
  const double factor = static_cast<double>(wanted) / static_cast<double>(sum);
  uint64_t passed = 0, given = 0;
  for (uint64_t& weight : weights) {
    passed += weight;
    // By where it ends, so that rounding leaves nothing over.
    const uint64_t end = passed == sum ? wanted : static_cast<uint64_t>(double(passed) * factor);
    weight = end - given;
    given = end;
  }
}

}  // namespace

// Below the scheduler lies what took the stack: a tracepoint, and BPF.
std::vector<FunctionId> sleeping_stack(std::span<const uint64_t> addresses,
                                       const Symbols& symbols) {
  std::vector<FunctionId> stack;
  // Return addresses all; one of a call that never returns would lie in the next
  // function.
  for (const uint64_t address : addresses) stack.push_back(symbols.find(address - 1));
  const auto scheduler = [&](FunctionId f) { return is_scheduler(symbols.name(f)); };
  const auto first = std::ranges::find_if(stack, scheduler);
  if (first == stack.end()) return stack;
  stack.erase(stack.begin(), std::ranges::find_if_not(first, stack.end(), scheduler));
  return stack;
}

BlockedTable blocked_table(const Sleeps& now, const Sleeps& before,
                           const std::function<std::span<const uint64_t>(size_t)>& stack_of,
                           const Symbols& symbols) {
  BlockedTable table;
  table.ns = growth(now.ns, before.ns);
  table.times = growth(now.times, before.times);
  table.lost = growth(now.lost, before.lost);

  CallTrie trie;
  std::vector<uint64_t> self;
  uint64_t sum_ns = 0;
  const auto weigh = [&](std::span<const FunctionId> stack, uint64_t ns) {
    const CallTrie::Place place = trie.place_of(stack);
    self.resize(trie.places());
    self[place] += ns;
    sum_ns += ns;
  };
  for (size_t i = 0; i < now.ns_by_place.size(); ++i) {
    const uint64_t then_ns = i < before.ns_by_place.size() ? before.ns_by_place[i] : 0;
    if (const uint64_t ns = growth(now.ns_by_place[i], then_ns))
      weigh(sleeping_stack(stack_of(i), symbols), ns);
  }
  const FunctionId unknown[] = {kUnknownFunction};
  const uint64_t lost_ns = growth(now.lost_ns, before.lost_ns);
  if (const uint64_t ns = sum_ns == 0 ? table.ns : lost_ns) weigh(unknown, ns);
  fit(self, sum_ns, table.ns);
  table.tree = std::make_shared<CallTree>(trie.tree(self, symbols));
  return table;
}

}  // namespace pipetop::observe

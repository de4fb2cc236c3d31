#include <algorithm>
#include <numeric>

#include "engine/observe/call_counter.h"
#include "engine/observe/sched_reader.h"

namespace pipetop::observe {
namespace {

// On every such stack, so not informative; also "__schedule.constprop.0".
bool is_scheduler(std::string_view name) {
  return name == "schedule" || name.starts_with("__schedule");
}

// Differences of cumulative totals, which may still decrease: the current interval
// no longer counts once the process is gone, and a sleep may turn out to be short.
uint64_t growth(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

// `before` is as long, or empty.
std::vector<uint64_t> growths(std::vector<uint64_t> now, const std::vector<uint64_t>& before) {
  for (size_t i = 0; i < before.size(); ++i) now[i] = growth(now[i], before[i]);
  return now;
}

uint64_t sum_of(const std::vector<uint64_t>& weights) {
  return std::accumulate(weights.begin(), weights.end(), uint64_t{0});
}

// Scales them to add up to `wanted`, unless all are 0.
void fit(std::vector<uint64_t>& weights, uint64_t wanted) {
  const uint64_t sum = sum_of(weights);
  if (sum == wanted || sum == 0) return;
  const double factor = static_cast<double>(wanted) / static_cast<double>(sum);
  uint64_t passed = 0, given = 0;
  for (uint64_t& weight : weights) {
    passed += weight;
    // By cumulative ends, so that nothing is lost to rounding, which may also be upwards.
    const uint64_t end =
        passed == sum ? wanted : std::min(wanted, static_cast<uint64_t>(double(passed) * factor));
    weight = end - given;
    given = end;
  }
}

}  // namespace

// Below the scheduler is what took the stack: a tracepoint and BPF.
std::vector<Function> sleeping_stack(std::span<const uint64_t> addresses, const Symbols& symbols) {
  std::vector<Function> stack;
  for (const uint64_t address : addresses) stack.emplace_back(symbols.caller_at(address));
  const auto scheduler = [](Function f) { return is_scheduler(f.name()); };
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

  // By place, with the rest at the end.
  std::vector<uint64_t> exact = growths(now.long_ns, before.long_ns);
  exact.push_back(growth(now.lost_ns, before.lost_ns));
  if (sum_of(exact) > table.ns) fit(exact, table.ns);
  std::vector<uint64_t> estimate = growths(now.short_ns, before.short_ns);
  fit(estimate, table.ns - sum_of(exact));
  exact.back() += table.ns - sum_of(exact) - sum_of(estimate);
  estimate.push_back(0);

  CallTrie trie;
  std::vector<uint64_t> self;
  for (size_t i = 0; i < exact.size(); ++i) {
    if (exact[i] + estimate[i] == 0) continue;
    const bool has_place = i + 1 < exact.size();
    const CallTrie::Place place = trie.place_of(has_place ? sleeping_stack(stack_of(i), symbols)
                                                          : std::vector{Function(kUnknown)});
    self.resize(trie.places());
    self[place] += exact[i] + estimate[i];
  }
  table.tree = std::make_shared<CallTree>(trie.tree(self));
  return table;
}

}  // namespace pipetop::observe

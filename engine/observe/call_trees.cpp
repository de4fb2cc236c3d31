#include "engine/observe/call_trees.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>

#include "bpf/sampler.h"

namespace pipetop::observe {
namespace {

constexpr uint64_t kLongest = 12;  // windows
constexpr size_t kKnown = 8192;    // 128 KB; a power of 2

// The addresses themselves are not kept: a collision of 64-bit hashes is not to be
// expected.
uint64_t hash_of(std::span<const uint64_t> addresses) {
  uint64_t hash = addresses.size();
  for (const uint64_t address : addresses) {
    hash = (hash ^ address) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

uint64_t key_of(CallTrie::Place caller, Function function) {
  return uint64_t{caller} << 32 | function.number();
}

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

// In us, so that the sum of weeks fits.
uint64_t square_us2(uint32_t ns) { return uint64_t{ns / 1000} * (ns / 1000); }

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
        passed == sum ? wanted : std::min(wanted, uint64_t(std::llround(double(passed) * factor)));
    weight = end - given;
    given = end;
  }
}

}  // namespace

CallTrie::Place CallTrie::callee(Place caller, Function function) {
  const auto [found, is_new] =
      callees_.try_emplace(key_of(caller, function), static_cast<Place>(nodes_.size()));
  if (is_new) nodes_.push_back({function, caller});
  return found->second;
}

CallTrie::Place CallTrie::place_of(std::span<const Function> stack) {
  if (stack.empty()) return callee(kNowhere, Function("[user]"));
  Place place = kNowhere;
  for (size_t left = stack.size(); left > 0; --left) {
    const Function function = stack[left - 1];
    if (nodes_.size() + left > kMaxPlaces && !callees_.contains(key_of(place, function)))
      return callee(kNowhere, Function("[other]"));
    place = callee(place, function);
  }
  return place;
}

void CallTrie::clear() {
  nodes_.clear();
  callees_.clear();
}

CallTree CallTrie::tree(std::span<const uint64_t> self) const {
  std::vector<uint64_t> total(self.begin(), self.end());
  total.resize(nodes_.size());
  for (size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].caller != kNowhere) total[nodes_[i].caller] += total[i];

  CallTree tree;
  std::vector<uint32_t> node_of(nodes_.size(), CallNode::kNone);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (total[i] == 0) continue;
    const auto [function, caller] = nodes_[i];
    if (caller == kNowhere) tree.total += total[i];
    node_of[i] = static_cast<uint32_t>(tree.nodes.size());
    tree.nodes.push_back({function, caller == kNowhere ? CallNode::kNone : node_of[caller],
                          i < self.size() ? self[i] : 0, total[i]});
  }
  return tree;
}

std::optional<StackSample> sample_of(const void* record, size_t bytes) {
  const auto& sample = *static_cast<const sampler_sample*>(record);
  const size_t head = offsetof(sampler_sample, ip);
  static_assert(sizeof(sample.ip[0]) == sizeof(uint64_t));
  if (bytes < head || sample.role >= SAMPLER_ROLES || sample.frames > SAMPLER_DEPTH ||
      bytes < head + sample.frames * sizeof(sample.ip[0]))
    return {};
  return StackSample{sample.at_ns, static_cast<Role>(sample.role),
                     std::span(reinterpret_cast<const uint64_t*>(sample.ip), sample.frames)};
}

CallCounter::CallCounter(uint64_t window_ns, uint64_t enough)
    : window_ns_(window_ns), enough_(enough), known_(kKnown) {}

CallCounter::Place CallCounter::place_of(std::span<const uint64_t> addresses,
                                         const Symbols& symbols) {
  const uint64_t hash = hash_of(addresses);
  Known& known = known_[hash % kKnown];
  if (known.hash == hash && known.place != CallTrie::kNowhere) return known.place;
  stack_.clear();
  for (const uint64_t address : addresses)  // above the leaf, return addresses
    stack_.emplace_back(stack_.empty() ? symbols.name_at(address) : symbols.caller_at(address));
  known = {hash, place_of(stack_)};
  return known.place;
}

void CallCounter::add(uint64_t at_ns, Place place, uint32_t ns) {
  for (SpanCounts& counts : counts_) {
    if (counts.self_ns.size() <= place) counts.self_ns.resize(trie_.places());
    counts.self_ns[place] += ns;
    ++counts.samples;
    counts.ns += ns;
    counts.squares_us2 += square_us2(ns);
    if (counts.samples == 1) counts.first_ns = at_ns;
  }
  last_ns_ = at_ns;
  if (window_ns_ != 0) window_.push_back({at_ns, place, ns});
}

void CallCounter::add_lost(uint64_t at_ns, uint64_t samples) {
  if (samples == 0) return;
  for (SpanCounts& counts : counts_) counts.lost += samples;
  if (window_ns_ != 0)
    window_.push_back({at_ns, CallTrie::kNowhere, static_cast<uint32_t>(samples)});
}

void CallCounter::expire(uint64_t now_ns) {
  SpanCounts& counts = of(Span::window);
  const auto old = [&] {
    const bool enough = double(counts.samples) * efficiency(counts) > double(enough_);
    const uint64_t window_ns = enough ? window_ns_ : kLongest * window_ns_;
    return window_.front().at_ns + window_ns < now_ns;
  };
  while (!window_.empty() && old()) {
    const Remembered& oldest = window_.front();
    if (oldest.place == CallTrie::kNowhere) {
      counts.lost -= oldest.n;
    } else {
      counts.self_ns[oldest.place] -= oldest.n;
      --counts.samples;
      counts.ns -= oldest.n;
      counts.squares_us2 -= square_us2(oldest.n);
    }
    window_.pop_front();
  }
}

void CallCounter::clear() {
  trie_.clear();
  known_.assign(kKnown, {});  // places are renumbered
  counts_ = {};
  window_.clear();
}

double CallCounter::efficiency(const SpanCounts& counts) {
  const double us = double(counts.ns) / 1e3;
  const double squares = double(counts.squares_us2) * double(counts.samples);
  return squares > 0 ? std::min(1.0, us * us / squares) : 1;
}

uint64_t CallCounter::span_ns(Span span) const {
  const bool moves = span == Span::window && !window_.empty();
  const uint64_t first_ns = moves ? window_.front().at_ns : of(span).first_ns;
  return last_ns_ > first_ns ? last_ns_ - first_ns : 0;
}

FunctionTable CallCounter::table(Span span) const {
  const SpanCounts& counts = of(span);
  std::vector<uint64_t> weights = counts.self_ns;
  fit(weights, counts.samples);
  return {.samples = counts.samples,
          .lost = counts.lost,
          .tree = std::make_shared<const CallTree>(trie_.tree(weights)),
          .efficiency = efficiency(counts),
          .span_ns = span_ns(span)};
}

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

#include "engine/observe/call_counter.h"

#include <memory>

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

void CallCounter::add(uint64_t at_ns, Place place) {
  for (SpanCounts& counts : counts_) {
    if (counts.self.size() <= place) counts.self.resize(trie_.places());
    ++counts.self[place];
    ++counts.samples;
  }
  if (window_ns_ != 0) window_.push_back({at_ns, place, 0});
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
    const uint64_t window_ns = counts.samples > enough_ ? window_ns_ : kLongest * window_ns_;
    return window_.front().at_ns + window_ns < now_ns;
  };
  while (!window_.empty() && old()) {
    const Remembered& oldest = window_.front();
    if (oldest.place == CallTrie::kNowhere) {
      counts.lost -= oldest.lost;
    } else {
      --counts.self[oldest.place];
      --counts.samples;
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

FunctionTable CallCounter::table(Span span) const {
  const SpanCounts& counts = of(span);
  return {counts.samples, counts.lost, std::make_shared<const CallTree>(trie_.tree(counts.self))};
}

}  // namespace pipetop::observe

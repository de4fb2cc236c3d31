#include "engine/observe/call_counter.h"

#include <memory>

namespace pipetop::observe {

CallCounter::CallCounter(uint64_t window_ns) : window_ns_(window_ns) {}

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
  while (!window_.empty() && window_.front().at_ns + window_ns_ < now_ns) {
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
  counts_ = {};
  window_.clear();
}

FunctionTable CallCounter::table(Span span) const {
  const SpanCounts& counts = of(span);
  return {counts.samples, counts.lost, std::make_shared<const CallTree>(trie_.tree(counts.self))};
}

}  // namespace pipetop::observe

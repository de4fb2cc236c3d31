// Places in a table of fixed size, for things that come and go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace pipetop::observe {

template <class Key>
class PlaceTable {
 public:
  explicit PlaceTable(uint32_t most) {
    for (uint32_t i = 0; i < most; ++i) free_.push_back(i);
  }

  // The keys that are to have a place from now on: those that have one keep it. Calls
  // leave(key, place) for each that loses its own, then enter(key, place) for each that gets one.
  // Returns how many got none.
  template <class Leave, class Enter>
  uint32_t assign(std::span<const Key> keys, Leave leave, Enter enter) {
    std::vector<Key> wanted(keys.begin(), keys.end());
    std::ranges::sort(wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<uint32_t> freed;
    std::erase_if(taken_, [&](const auto& entry) {
      if (std::ranges::binary_search(wanted, entry.first)) return false;
      leave(entry.first, entry.second);
      freed.push_back(entry.second);
      return true;
    });
    uint32_t left_out = 0;
    for (const Key& key : wanted) {
      if (taken_.contains(key)) continue;
      if (free_.empty()) {
        ++left_out;
        continue;
      }
      taken_[key] = free_.front();
      free_.pop_front();
      enter(key, taken_[key]);
    }
    // Not before: a program on another CPU may still be using them.
    free_.insert(free_.end(), freed.begin(), freed.end());
    return left_out;
  }

  const std::map<Key, uint32_t>& taken() const { return taken_; }

 private:
  std::map<Key, uint32_t> taken_;
  std::deque<uint32_t> free_;  // the one that has been free for the longest time first
};

}  // namespace pipetop::observe

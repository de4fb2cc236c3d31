// Totals by labels, of which there are never more than a given number: strangers choose the names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pipetop {

template <class Totals>
class BoundedSeries {
 public:
  using Labels = std::vector<std::string>;

  // One that was not asked for since `patience_ns` gives way to a new one.
  BoundedSeries(size_t most, uint64_t patience_ns) : most_(most), patience_ns_(patience_ns) {}

  // Those of these labels; if there are too many series already, those of all the others together.
  // A preferred one takes the place of another that is not, the one that was asked for last the
  // longest ago.
  Totals& at(const Labels& labels, uint64_t now_ns, bool preferred = false) {
    auto found = series_.find(labels);
    if (found == series_.end()) {
      if (series_.size() >= most_ && !make_room(now_ns, preferred))
        return has_other_ = true, other_;
      found = series_.emplace(labels, Series()).first;
    }
    found->second.asked_ns = now_ns;
    found->second.preferred = preferred;
    return found->second.totals;
  }

  size_t size() const { return series_.size(); }
  // Whether there ever were too many; they count here.
  bool has_other() const { return has_other_; }
  const Totals& other() const { return other_; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [labels, series] : series_) visit(labels, series.totals);
  }
  // All of them, `other()` too.
  template <class Change>
  void change_each(Change change) {
    for (auto& entry : series_) change(entry.second.totals);
    change(other_);
  }

 private:
  struct Series {
    Totals totals = {};
    uint64_t asked_ns = 0;
    bool preferred = false;
  };

  bool make_room(uint64_t now_ns, bool preferred) {
    const auto rank = [](const auto& entry) {
      return std::pair(entry.second.preferred, entry.second.asked_ns);
    };
    const auto by_rank = [&](const auto& a, const auto& b) { return rank(a) < rank(b); };
    const auto oldest = std::min_element(series_.begin(), series_.end(), by_rank);
    if (oldest == series_.end()) return false;
    const bool is_over = oldest->second.asked_ns + patience_ns_ <= now_ns;
    if (!is_over && !(preferred && !oldest->second.preferred)) return false;
    series_.erase(oldest);
    return true;
  }

  const size_t most_;
  const uint64_t patience_ns_;
  std::map<Labels, Series> series_;
  Totals other_ = {};
  bool has_other_ = false;
};

}  // namespace pipetop

#include "tui/tests/soak/verdict.h"

#include <fmt/core.h>

#include <algorithm>

namespace pipetop::tui {
namespace {

using Records = std::vector<Record>;

constexpr int64_t kMost_KiB = 1024;

struct Range {
  int64_t first = 0, least = 0, most = 0, last = 0;
  int64_t drift() const { return std::max(most - first, first - least); }
  std::string text(const char* unit) const {
    return fmt::format("{}{unit}, then {} to {}{unit}, at the end {}{unit}", first, least, most,
                       last, fmt::arg("unit", unit));
  }
};

template <class Get>
Range range_of(const Records& records, Get get) {
  Range range;
  for (const Record& record : records) {
    const auto value = static_cast<int64_t>(get(record));
    if (&record == &records.front()) range = {value, value, value, value};
    range = {range.first, std::min(range.least, value), std::max(range.most, value), value};
  }
  return range;
}

// By name, as they come and go; 0 if there is none.
template <class Member>
int64_t most_of(const Record& record, Member member) {
  int64_t most = 0;
  for (const ProcessFigures& worker : record.workers)
    most = std::max(most, static_cast<int64_t>(worker.*member));
  return most;
}

template <class Is>
Criterion none(const char* name, const Records& records, const char* what, Is is) {
  const auto count = std::ranges::count_if(records, is);
  return {name, fmt::format("{} of {} looks {}", count, records.size(), what), count == 0};
}

bool is_stale(const Record& r) {
  return r.second.clock_s <= r.first.clock_s || r.second.readings == r.first.readings ||
         r.second.readings.empty();
}

// A total in TiB takes its time.
Criterion total_moves(const Records& records) {
  constexpr int kMost = 20;
  int longest = 0, same = 0;
  std::string before;
  for (const Record& record : records) {
    if (record.second.total.empty()) continue;  // there was no room for it
    same = record.second.total == before ? same + 1 : 0;
    longest = std::max(longest, same);
    before = record.second.total;
  }
  return {"the total moves", fmt::format("the same for at most {} looks", longest),
          longest <= kMost};
}

}  // namespace

std::string text_of(const Record& r) {
  std::string text = fmt::format(
      "{:6d} s  rss {} KiB  pss {} KiB  fds {}  threads {}  bpf {} KiB  kills {}  restarts {}",
      r.second.clock_s, r.main.rss_kib, r.main.pss_kib, r.main.descriptors, r.main.threads,
      r.bpf_bytes / 1024, r.kills, r.second.restarts);
  for (const ProcessFigures& w : r.workers)
    text += fmt::format("  {} {}: {} KiB {} fds", w.name, w.pid, w.rss_kib, w.descriptors);
  return text + fmt::format("  {}{}", r.second.total, is_stale(r) ? "  STALE" : "");
}

std::vector<Criterion> judge(const Records& records, const std::optional<std::string>& ended) {
  std::vector<Criterion> all = {{"it runs", ended.value_or("to the end"), !ended}};
  all.push_back({"it was looked at", fmt::format("{} times after the warm-up", records.size()),
                 records.size() >= 2});
  const auto flat = [&](const char* name, const char* unit, int64_t most, auto get) {
    const Range range = range_of(records, get);
    all.push_back({name, range.text(unit), range.drift() <= most});
  };
  flat("RSS of main is flat", " KiB", kMost_KiB, [](const Record& r) { return r.main.rss_kib; });
  flat("PSS of main is flat", " KiB", kMost_KiB, [](const Record& r) { return r.main.pss_kib; });
  flat("descriptors of main", "", 0, [](const Record& r) { return r.main.descriptors; });
  flat("threads of main", "", 0, [](const Record& r) { return r.main.threads; });
  flat("BPF memory", " KiB", 0, [](const Record& r) { return r.bpf_bytes / 1024; });
  flat("processes", "", 0, [](const Record& r) { return r.workers.size(); });
  flat("RSS of workers is flat", " KiB", kMost_KiB,
       [](const Record& r) { return most_of(r, &ProcessFigures::rss_kib); });
  flat("descriptors of workers", "", 0,
       [](const Record& r) { return most_of(r, &ProcessFigures::descriptors); });
  all.push_back(none("no stale reading", records, "with a clock or counters that stood", is_stale));
  all.push_back(total_moves(records));
  all.push_back(none("no restart that nobody caused", records, "with more restarts than kills",
                     [](const Record& r) { return r.second.restarts > r.kills; }));
  all.push_back(none("no worker is given up", records, "with one that failed",
                     [](const Record& r) { return r.second.failed; }));
  return all;
}

}  // namespace pipetop::tui

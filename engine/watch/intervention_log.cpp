#include "engine/watch/intervention_log.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/meter/statistics.h"
#include "engine/model/segment.h"

namespace pipetop {
namespace {

// As with our own segments, rates count only once the change has had time to take effect. Here the
// ring is renumbered, and its estimate has to begin anew.
constexpr uint64_t kSettle_ns = 500 * kMs;
constexpr uint64_t kBefore_ns = 5 * kSecond;
constexpr uint64_t kAfter_ns = 10 * kSecond;

// Of the rates within these times; nothing if they are few.
std::optional<double> median_rate(const PipeCurves* history, uint64_t from_ns, uint64_t to_ns) {
  if (history == nullptr) return {};
  std::vector<double> rates;
  for (const RatePoint& point : history->rates)
    if (point.at_ns > from_ns && point.at_ns <= to_ns) rates.push_back(point.rate);
  if (rates.size() < kSettledRates) return {};
  return median(std::move(rates));
}

}  // namespace

// Or was put back. 0: there is none.
uint64_t InterventionLog::last_change_ns(PipeId pipe, uint64_t before_ns) const {
  const auto undone = undone_ns_.find(pipe);
  uint64_t last_ns = undone == undone_ns_.end() ? 0 : undone->second;
  for (const Entry& entry : entries_)
    if (entry.measured == pipe && entry.view.at_ns < before_ns)
      last_ns = std::max(last_ns, entry.view.at_ns);
  return last_ns;
}

void InterventionLog::add(uint64_t now_ns, const Interventions::Done& done,
                          std::optional<PipeId> measured, std::optional<ProcessId> stage,
                          const HistoryOf& history_of) {
  Entry entry;
  entry.view.text = done.text;
  entry.view.at_ns = now_ns;
  entry.view.stage = stage;
  entry.done_at_ns = done.at_ns;
  entry.measured = measured;
  entry.until_ns = now_ns + kAfter_ns;
  if (!stage) entry.view.pipe = measured;
  if (measured) {
    const uint64_t last_ns = last_change_ns(*measured, now_ns);
    const uint64_t from_ns =
        std::max(now_ns - std::min(now_ns, kBefore_ns), last_ns == 0 ? 0 : last_ns + kSettle_ns);
    entry.view.before_bytes_per_s = median_rate(history_of(*measured), from_ns, now_ns);
  }
  for (Entry& earlier : entries_)
    if (measured && earlier.measured == measured)
      earlier.until_ns = std::min(earlier.until_ns, now_ns);
  entries_.push_back(std::move(entry));
}

void InterventionLog::keep(uint64_t now_ns, const std::vector<Interventions::Done>& done) {
  std::erase_if(entries_, [&](Entry& entry) {
    const auto kept = std::ranges::find_if(done, [&](const Interventions::Done& one) {
      return one.at_ns == entry.done_at_ns && one.text == entry.view.text;
    });
    if (kept != done.end())
      entry.view.waits = kept->waits;
    else if (entry.measured)
      undone_ns_[*entry.measured] = now_ns;
    return kept == done.end();
  });
}

void InterventionLog::update(uint64_t now_ns, const HistoryOf& history_of) {
  for (Entry& entry : entries_) {
    if (!entry.measured || now_ns > entry.until_ns + kAfter_ns) continue;
    const auto rate =
        median_rate(history_of(*entry.measured), entry.view.at_ns + kSettle_ns, entry.until_ns);
    if (rate) entry.view.after_bytes_per_s = rate;
  }
}

std::vector<Intervention> InterventionLog::list() const {
  std::vector<Intervention> list;
  for (const Entry& entry : entries_) list.push_back(entry.view);
  return list;
}

}  // namespace pipetop

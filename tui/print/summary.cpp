#include "tui/print/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "engine/registry/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/print/human_text.h"

namespace pipetop::tui {
namespace {

constexpr size_t kMostSegments = 40;

// The preset that the settings equal; what differs from the defaults would be too long.
std::string preset_named(std::span<const Preset> presets, const Settings& settings) {
  const auto found = std::ranges::find(presets, settings,
                                       [&](const Preset& preset) { return preset.from(settings); });
  return found == presets.end() ? "" : found->name;
}

bool has_rate(const Segment& s) { return s.rate.has_value() && !s.requested.pipe.slow_motion; }

// Against the last segment of the same workload that had a rate.
std::string factor(const Segment& now, const Segment* before) {
  if (!before || !has_rate(now) || before->rate->mean <= 0) return "";
  if (before->requested.workload != now.requested.workload) return "";
  return ratio_text(now.rate->mean / before->rate->mean);
}

}  // namespace

std::string summary_text(std::span<const std::shared_ptr<const Segment>> closed,
                         const Segment& last, std::span<const Preset> presets) {
  const std::string_view unit = unit_of(last.requested).rate;
  const auto in_its_unit = [&](const Segment& s) { return unit_of(s.requested).rate == unit; };
  const bool one_unit = in_its_unit(last) &&
                        std::ranges::all_of(closed, [&](const auto& s) { return in_its_unit(*s); });
  TextTable table({{"", '>'},
                   {"key"},
                   {"change", '<', 0, 30},
                   {"preset"},
                   {"seconds", '>'},
                   {one_unit ? std::string(unit) : "rate", '>'},
                   {"±", '>'},
                   {"×", '>'}});
  const size_t left_out = closed.size() + 1 > kMostSegments ? closed.size() + 1 - kMostSegments : 0;
  const Segment* before = nullptr;
  const auto add = [&](const Segment& s, bool shown) {
    const auto rate = [&](auto member) -> std::string {
      if (s.requested.pipe.slow_motion) return member == &RateStats::mean ? "slow" : "";
      return s.rate.has_value() ? rate_text((*s.rate).*member) : "";
    };
    std::string mean = rate(&RateStats::mean);
    if (!one_unit && has_rate(s)) mean += fmt::format(" {}", unit_of(s.requested).rate);
    const std::string preset = preset_named(presets, s.requested);
    const std::string change = s.label == "preset " + preset ? "preset" : s.label;
    if (shown)
      table.add({std::to_string(s.number), s.key, change, preset,
                 fmt::format("{:.1f}", static_cast<double>(s.duration_ns) / 1e9), mean,
                 rate(&RateStats::stddev), factor(s, before)});
    if (has_rate(s)) before = &s;
  };
  size_t n = 0;
  for (const auto& segment : closed) add(*segment, n++ >= left_out);
  add(last, true);
  std::string text = table.text();
  if (left_out > 0)
    text +=
        fmt::format("{} before them; --segments FILE writes all\n", counted(left_out, "segment"));
  return text;
}

}  // namespace pipetop::tui

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/workload/table/workloads.h"
#include "tui/draw/numbers.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/widgets/ladder.h"

namespace pipetop::tui {
namespace {

constexpr size_t kCsvFunctions = 8;  // per role

Json seconds_json(uint64_t ns) { return rounded(double(ns) / 1e9); }

Json calls_json(const RoleTotals& totals, const Unit& unit) {
  const WorkerCounts& counts = totals.counts;
  Json json = {{unit.items, counts.items},    {"syscalls", counts.syscalls},
               {"polls", counts.polls},       {"eagain", counts.eagain},
               {"short", counts.short_calls}, {"sleeps", totals.sleeps}};
  put_if(totals.wakeups.has_value(), json, "wakeups", totals.wakeups.value_or(0),
         "only sched_switch counts them");
  return json;
}

Json segment_role_json(const SegmentRole& role, const Unit& unit) {
  Json json;
  put_shares(json, role.shares);
  put(json, "functions", role.functions, functions_json);
  put(json, "calls", role.totals,
      [&](const RoleTotals& totals) { return calls_json(totals, unit); });
  return json;
}

Json change_json(const Change& change) {
  Json json = {{"factor", rounded(change.factor)}, {"before", rounded(change.before)},
               {"after", rounded(change.after)},   {"cause", change.cause},
               {"evidence", change.evidence},      {"function", change.function}};
  json["differs"] = change.is_seen();
  put_if(change.low > 0, json, "interval", {rounded(change.low), rounded(change.high)},
         "too few rates");
  return json;
}

Json segment_json(const Segment& segment, uint64_t start_ns) {
  const Unit& unit = unit_of(segment.requested);
  Json json = {{"number", segment.number},
               {"label", segment.label},
               {"key", segment.key},
               {"begin_s", seconds_json(segment.begin_ns - start_ns)},
               {"seconds", seconds_json(segment.duration_ns)},
               {std::string(unit.items), segment.items}};
  put(json, unit.key, segment.rate, rate_json);
  json["requested"] = knobs_json(segment.requested);
  json["effective"] = knobs_json(segment.effective);
  json["pipe_bytes"] = segment.pipe_bytes;
  for (const Role r : roles_of(segment.requested))
    json[role_name(segment.requested, r)] = segment_role_json(segment.role(r), unit);
  put_ring(json, segment.occupancy, segment.kinds);
  put(json, "change", segment.change, change_json);
  put(json, "steal_share", segment.steal_share);
  json["noise"] = segment.noise;
  return json;
}

// "mutex_spin_on_owner=0.3910;mutex_unlock=0.0470"
std::string top_functions(const FunctionTable& table) {
  const std::vector<FunctionRow> rows = table.rows();
  std::string text;
  for (size_t i = 0; i < std::min(rows.size(), kCsvFunctions); ++i)
    text += fmt::format("{}{}={:.4f}", i == 0 ? "" : ";", rows[i].name,
                        table.share(rows[i].self_samples));
  return text;
}

// A cell for a list in JSON, and 0 for a kind that was not seen.
Json segment_row(const Segment& segment, Json json) {
  for (const Role r : roles_of(segment.requested))
    if (const auto& functions = segment.role(r).functions; functions.has_value())
      json[role_name(segment.requested, r)]["top"] = top_functions(*functions);
  if (segment.kinds.has_value())
    for (const std::string_view kind : kKindNames)
      if (!json["kinds"].contains(kind)) json["kinds"][kind] = 0.0;
  return json;
}

constexpr size_t kMostSegments = 40;

bool has_rate(const Segment& s) { return s.rate.has_value() && !s.requested.pipe.slow_motion; }

// Against the last segment of the same workload that had a rate.
std::string factor(const Segment& now, const Segment* before) {
  if (!before || !has_rate(now) || before->rate->mean <= 0) return "";
  if (before->requested.workload != now.requested.workload) return "";
  return ratio_text(now.rate->mean / before->rate->mean);
}

}  // namespace

Columns segment_columns(const Settings& settings) {
  const Unit& unit = unit_of(settings);
  Columns columns;
  add_columns(columns, "", "", {"number", "label", "key", "begin_s", "seconds", unit.items});
  add_columns(columns, "", fmt::format("/{}", unit.key),
              {"mean", "median", "stddev", "min", "max", "samples"});
  const auto add_knobs = [&](std::span<const Knob> knobs) {
    for (const std::string in : {"requested", "effective"})
      for (const Knob& knob : knobs) add_columns(columns, in + "_", "/" + in, {knob.name});
  };
  add_knobs(workload(settings.workload).knobs());
  const bool has_ring = terms_of(settings).has_ring;
  if (has_ring) add_columns(columns, "", "", {"pipe_bytes"});
  for (const Role r : roles_of(settings)) {
    const std::string role(role_name(settings, r));
    add_columns(columns, role + "_", "/" + role,
                {"on_cpu_share", "runnable_share", "blocked_share"});
    add_columns(columns, role + "_", "/" + role + "/functions", {"samples", "lost"});
    columns.push_back({role + "_functions", "/" + role + "/top"});
  }
  if (has_ring) {
    add_columns(columns, "occupancy_", "/occupancy",
                {"mean", "empty_share", "full_share", "samples"});
    add_columns(columns, "kinds_", "/kinds", {kKindNames.begin() + 1, kKindNames.end()});
  }
  add_knobs(common_knobs());
  add_columns(columns, "change_", "/change", {"factor", "cause", "evidence"});
  add_columns(columns, "", fmt::format("/{}", unit.key), {"plus_minus"});
  return columns;
}

Document segment_document(const Segment& segment, uint64_t start_ns) {
  Document document{"segment", segment_json(segment, start_ns)};
  document.columns = segment_columns(segment.requested);
  document.rows = {segment_row(segment, document.tree)};
  return document;
}

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
    const Preset* exact = find_exact(presets, s.requested);
    const std::string preset = exact ? exact->name : "";  // the knobs would take too much room
    const std::string change = s.label == "preset " + preset ? "preset" : s.label;
    if (shown)
      table.add({std::to_string(s.number), s.key, change, preset,
                 fmt::format("{:.1f}", static_cast<double>(s.duration_ns) / 1e9), mean,
                 has_rate(s) ? plus_minus_text(*s.rate) : "", factor(s, before)});
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

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/version.h"
#include "engine/meter/rate_meter.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/table/workloads.h"
#include "tui/print/document.h"
#include "tui/print/human_text.h"
#include "tui/print/results.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, 4> kZeroCopyNames = {"zero-copy", "copied", "unverifiable",
                                                       "no-copy"};

// The CPU it last ran on, or else the one it is pinned to.
void put_cpu(Json& json, const WorkerReadings& worker, const Json& pinned) {
  const auto& last = worker.last_cpu;
  put_if(last.has_value() || pinned.is_number(), json, worker.name + "_cpu",
         last.has_value() ? Json(*last) : pinned, last.reason);
}

Json effective_json(const Snapshot& s) {
  const Effective& effective = s.effective;
  Json json = knobs_json(effective.settings);
  if (terms_of(s.requested).has_ring) json["pipe_size"] = effective.pipe.bytes;
  json["zero_copy"] = kZeroCopyNames[static_cast<size_t>(effective.pipe.zero_copy)];
  json["zero_copy_reason"] = effective.pipe.zero_copy_reason;
  put(json, "huge", effective.pipe.huge);
  for (const Role role : roles_of(s.requested)) {
    const WorkerReadings& worker = s.worker(role);
    put_cpu(json, worker, json.value(worker.name + ".cpu", Json()));
  }
  json["mismatches"] = mismatches_json(effective.mismatches);
  return json;
}

// The mean covers the whole run, the others its intervals.
Json run_rate_json(const RunResult& result) {
  const Reading<RateStats>& rate = result.end.throughput.current.rate;
  Json json = rate_json(rate.has_value() ? *rate : RateStats{});
  json["mean"] = rounded(result.rate());
  if (!rate.has_value())
    for (const char* name : {"median", "stddev", "min", "max", "plus_minus"})
      put_null(json, name, rate.reason);
  return json;
}

Json counts_json(const WorkerCounts& counts, const Unit& unit) {
  Json json = {{"syscalls", counts.syscalls}};
  json[unit.items] = counts.items;
  json["eagain"] = counts.eagain;
  json["polls"] = counts.polls;
  json["helper_calls"] = counts.helper_calls;
  json["short"] = counts.short_calls;
  json["interrupted"] = counts.interrupted;
  return json;
}

Json blocked_json(const BlockedTable& blocked) {
  return {{"ns", blocked.ns},
          {"times", blocked.times},
          {"lost", blocked.lost},
          {"tree", call_tree_json(*blocked.tree, "ns")}};
}

Json worker_json(const RunResult& result, Role role) {
  const WorkerReadings &before = result.begin.worker(role), &after = result.end.worker(role);
  const WorkerReadings& last = result.last.worker(role);
  Json json = {{"pid", after.pid}};
  const Unit& unit = unit_of(result.end.requested);
  json.update(counts_json(after.counts - before.counts, unit));
  put_shares(json, result.segment.role(role).shares);
  put_times_source(json, after);
  const auto difference = [&](const char* name, Reading<uint64_t> WorkerReadings::*total) {
    put_difference(json, name, before, after, total);
  };
  difference("context_switches", &WorkerReadings::context_switches);
  difference("voluntary_switches", &WorkerReadings::voluntary_switches);
  difference("involuntary_switches", &WorkerReadings::involuntary_switches);
  difference("wakeups", &WorkerReadings::wakeups);
  difference("page_faults", &WorkerReadings::page_faults);
  json["restarts"] = after.restarts;
  put(json, "blocked", result.segment.role(role).blocked, blocked_json);
  if (after.processes > 1) json["blocked_note"] = "of the first of several processes";
  json["lifetime"] = {{unit.items, last.counts.items}, {"syscalls", last.counts.syscalls}};
  return json;
}

Json ring_json(const RingReadings& ring) {
  Json json = {{"slots", ring.slots}, {"bytes", ring.bytes}};
  put_ring(json, ring.occupancy, ring.kinds);
  return json;
}

Json counted_functions_json(const FunctionTable& table) {
  Json json = functions_json(table);
  const std::vector<FunctionRow> rows = table.rows();
  for (size_t i = 0; i < rows.size(); ++i) {
    json["rows"][i]["self_samples"] = rows[i].self_samples;
    json["rows"][i]["children_samples"] = rows[i].children_samples;
  }
  put_if(table.tree->paths, json, "tree", call_tree_json(*table.tree), "not kept");
  return json;
}

Json all_functions_json(const RunResult& result) {
  const Snapshot& s = result.end;
  Json json = {{"event", s.event->name}, {"hz", s.event->hz}, {"time_share", s.event->share}};
  put(json, "price", s.event->price);
  if (s.event->price.has_value()) {
    json["price_low"] = rounded(s.event->price_low);
    json["price_high"] = rounded(s.event->price_high);
  }
  put(json, fmt::format("between_ticks_{}", unit_of(s.requested).key), s.event->between_ticks);
  for (const Role role : roles_of(s.requested))
    put(json, s.worker(role).name, result.segment.role(role).functions, counted_functions_json);
  return json;
}

Json integrity_json(const Integrity& i) {
  return {{"verified", i.verified},
          {"misplaced", i.misplaced},
          {"torn", i.torn},
          {"unstamped", i.unstamped},
          {"epochs", i.epochs}};
}

Json parts_json(const Snapshot& s) {
  return list_json(s.parts, [&](const PartReadings& part) {
    Json json = {{"name", part.name}, {"pid", part.pid}};
    put(json, "cpu", part.cpu);
    put(json, unit_of(s.requested).key, part.rate);
    return json;
  });
}

Json verdict_json(const Verdict& verdict) {
  return {
      {"kind", name_of(verdict.kind)}, {"because", verdict.because}, {"advice", verdict.advice}};
}

// The article's settings as in its output, 0 or 1, with its names and in its order.
Json article_json(const Json& run, uint64_t bytes_wanted) {
  const Json& knobs = run["requested"];
  const auto is = [&](const char* knob, auto... values) {
    return ((knobs[knob] == values) || ...);
  };
  const auto both_wait = [&](auto... values) {
    return is("writer.wait", values...) && is("reader.wait", values...);
  };
  const Json& pipe_size = knobs["pipe_size"];
  return {{"gibibytes_per_second", run["gib_per_s"]["mean"]},
          {"bytes_to_pipe", bytes_wanted != 0 ? Json(bytes_wanted) : run["bytes"]},
          {"buf_size", knobs["buf_size"]},
          {"pipe_size", pipe_size == "auto" ? Json(0) : pipe_size},
          {"busy_loop", both_wait("busy", "busy_poll")},
          {"poll", both_wait("poll", "busy_poll")},
          {"huge_page", !is("pages", "4k")},
          {"check_huge_page", knobs["check_huge_page"]},
          {"write_with_vmsplice", is("write_with", "vmsplice")},
          {"read_with_splice", is("read_with", "splice")},
          {"gift", knobs["gift"]},
          {"lock_memory", knobs["lock_memory"]},
          {"dont_touch_pages", is("touch_pages", false)},
          {"same_buffer", is("buffers", "same")}};
}

bool is_pipe(const Settings& settings) { return settings.workload == WorkloadKind::pipe; }

// Booleans as 0 and 1, for spreadsheets.
void make_numbers(Json& json) {
  if (json.is_boolean()) json = int(json.get<bool>());
  if (json.is_object())
    for (Json& value : json) make_numbers(value);
}

// Knobs that have no column yet. percpu's count has the same name as one of its knobs.
void add_knobs(Columns& columns, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    const auto same = std::ranges::find(columns, name, &Column::name);
    const bool is_count = same != columns.end() && same->pointer == fmt::format("/{}", name);
    if (same == columns.end() || is_count)
      add_columns(columns, is_count ? "requested_" : "", "/requested", {name});
  }
}

std::vector<std::string_view> names_of(const Json& object) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

// The article's 14 columns in its order for a pipe, then ours: the rate in the
// workload's unit, its own figures and all of its knobs.
Columns run_columns(const Settings& settings, const Json& run) {
  const Unit& unit = unit_of(settings);
  Columns columns;
  if (is_pipe(settings))
    add_columns(columns, "", "/article", names_of(article_json(run, 0)));
  else
    columns.push_back({std::string(unit.key), fmt::format("/{}/mean", unit.key)});
  add_columns(columns, "", "", {"name", "duration_ns", unit.items});
  add_columns(columns, "", fmt::format("/{}", unit.key), {"median", "stddev", "min", "max"});
  if (is_pipe(settings)) add_knobs(columns, {"pages", "wait", "payload", "placement"});
  for (const Role role : roles_of(settings))
    add_columns(columns, "", "/effective", {fmt::format("{}_cpu", role_name(settings, role))});
  if (terms_of(settings).has_ring) {
    columns.push_back({"effective_pipe_bytes", "/effective/pipe_size"});
    add_columns(columns, "", "/effective", {"zero_copy", "huge"});
  }
  columns.push_back({"steal_share", "/host/steal_share"});
  if (terms_of(settings).has_ring) columns.push_back({"verdict", "/verdict/kind"});
  add_columns(columns, "", "/figures", names_of(run["figures"]));
  if (is_pipe(settings)) add_knobs(columns, {"buffers", "slow_motion", "write_with"});
  for (const Knob& knob : knobs_of(settings))
    if (knob.name != "single_step") add_knobs(columns, {knob.name});  // a run makes none
  add_columns(columns, "", fmt::format("/{}", unit.key), {"plus_minus"});
  columns.push_back({"noise", "/noise/words"});
  return columns;
}

// The JSON that the columns point into: the run, and more.
Json run_row(const RunResult& result, Json run) {
  if (is_pipe(result.end.requested)) run["article"] = article_json(run, result.bytes_wanted);
  Json& knobs = run["requested"];
  if (knobs.contains("wait") && knobs["wait"].is_null())
    knobs["wait"] = fmt::format("{}/{}", knobs["writer.wait"].get<std::string>(),
                                knobs["reader.wait"].get<std::string>());
  make_numbers(run);
  return run;
}

}  // namespace

Json run_json(const RunResult& result) {
  const Snapshot& end = result.end;
  const Unit& unit = unit_of(end.requested);
  Json json = {{"name", result.name}, {"version", kVersion}};
  json["host"] = host_json(end.host.get(), result.steal_share);
  json["requested"] = knobs_json(end.requested);
  json["effective"] = effective_json(end);
  json["duration_ns"] = result.duration_ns();
  json[unit.items] = result.items();
  json[unit.key] = run_rate_json(result);
  for (const Role role : roles_of(end.requested))
    json[end.worker(role).name] = worker_json(result, role);
  json["parts"] = parts_json(end);
  json["figures"] = figures_json(end.figures);
  if (terms_of(end.requested).has_ring) json["ring"] = ring_json(end.ring);
  put(json, "functions", end.event,
      [&](const SamplingEvent&) { return all_functions_json(result); });
  put(json, "integrity", result.last.integrity, integrity_json);
  put(json, "verdict", verdict_of(result), verdict_json);
  json["noise"] = noise_json(result);
  return json;
}

Document run_document(const RunResult& result) {
  Document document{"summary", run_json(result), run_text(result)};
  document.columns = run_columns(result.end.requested, document.tree);
  document.rows = {run_row(result, document.tree)};
  return document;
}

Document interval_document(const Snapshot& begin, const Snapshot& before, const Snapshot& after) {
  const Settings& settings = after.requested;
  const Unit& unit = unit_of(settings);
  const auto counts = [&](Role r) { return after.worker(r).counts - before.worker(r).counts; };
  const uint64_t t_ns = after.now_ns - begin.now_ns, duration_ns = after.now_ns - before.now_ns;
  const Throughput &first = before.throughput, &last = after.throughput;
  const uint64_t items = last.total_items - first.total_items;
  const Reading<double> rate = rate_between(first.progress(), last.progress(), unit.count);
  Json json = {{"t_ns", t_ns}, {"duration_ns", duration_ns}, {std::string(unit.items), items}};
  put(json, unit.key, rate);
  for (const Role role : roles_of(settings))
    json[role_name(settings, role)] = counts_json(counts(role), unit);
  return {"interval", std::move(json),
          fmt::format("{:>6.1f} s  {:>8} {}\n", double(t_ns) / 1e9, shown_rate(rate), unit.rate)};
}

}  // namespace pipetop::tui

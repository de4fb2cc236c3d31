#include "tui/print/print_json.h"

#include <array>

#include "engine/base/version.h"
#include "engine/registry/terms.h"
#include "engine/workload/pipe/pipe_knobs.h"
#include "engine/workload/pipe/verdict.h"
#include "tui/print/call_tree_json.h"
#include "tui/print/host_json.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, 4> kZeroCopyNames = {"zero-copy", "copied", "unverifiable",
                                                       "no-copy"};

// Where it ran last, or else where it is pinned.
void put_cpu(Json& json, const std::string& name, const WorkerView& worker, int pinned) {
  if (worker.last_cpu.has_value() || pinned == kNoCpu)
    put(json, name, worker.last_cpu);
  else
    json[name] = pinned;
}

Json effective_json(const Snapshot& s) {
  const Effective& effective = s.effective;
  Json json = knobs_json(effective.settings);
  if (terms_of(s.requested).has_ring) json["pipe_size"] = effective.pipe.bytes;
  json["zero_copy"] = kZeroCopyNames[static_cast<size_t>(effective.pipe.zero_copy)];
  json["zero_copy_reason"] = effective.pipe.zero_copy_reason;
  put(json, "huge", effective.pipe.huge);
  for (const Role role : roles_of(s.requested)) {
    const Settings& in_force = effective.settings;
    const int pinned = role == Role::writer ? in_force.pipe.writer_cpu : in_force.pipe.reader_cpu;
    put_cpu(json, s.worker(role).name + "_cpu", s.worker(role), pinned);
  }
  json["mismatches"] = Json::array();
  for (const Mismatch& m : effective.mismatches)
    json["mismatches"].push_back({{"knob", m.knob},
                                  {"requested", m.requested},
                                  {"effective", m.effective},
                                  {"reason", m.reason}});
  return json;
}

Json rate_json(const RunResult& result) {
  const Reading<RateStats>& rate = result.end.throughput.current.rate;
  Json json = {{"mean", rounded(result.rate())}};
  const auto figure = [&](double RateStats::*member) {
    return rate.has_value() ? rounded((*rate).*member) : Json(nullptr);
  };
  json["median"] = figure(&RateStats::median);
  json["stddev"] = figure(&RateStats::stddev);
  json["min"] = figure(&RateStats::min);
  json["max"] = figure(&RateStats::max);
  json["samples"] = rate.has_value() ? rate->samples : 0u;
  if (!rate.has_value())
    for (const char* name : {"median", "stddev", "min", "max"})
      json[std::string(name) + "_reason"] = rate.reason;
  return json;
}

// Totals of a process begin anew when it is restarted.
void put_difference(Json& json, const std::string& name, const Reading<uint64_t>& before,
                    const Reading<uint64_t>& after) {
  if (!before.has_value() || !after.has_value())
    put_null(json, name, after.has_value() ? before.reason : after.reason);
  else if (*after < *before)
    put_null(json, name, "the process was restarted");
  else
    json[name] = *after - *before;
}

Json counts_json(const WorkerCounts& counts) {
  return {{"syscalls", counts.syscalls},
          {"bytes", counts.items},
          {"eagain", counts.eagain},
          {"short", counts.short_calls},
          {"interrupted", counts.interrupted}};
}

void put_blocked(Json& json, const Reading<BlockedTable>& blocked) {
  if (!blocked.has_value()) return put_null(json, "blocked", blocked.reason);
  json["blocked"] = {{"ns", blocked->ns},
                     {"times", blocked->times},
                     {"lost", blocked->lost},
                     {"tree", call_tree_json(*blocked->tree, "ns")}};
}

Json worker_json(const RunResult& result, Role role) {
  const WorkerView &before = result.begin.worker(role), &after = result.end.worker(role);
  const WorkerView& last = result.last.worker(role);
  const TimeShares& shares = result.shares[static_cast<size_t>(role)];
  Json json = {{"pid", after.pid}};
  json.update(counts_json(after.counts - before.counts));
  put(json, "on_cpu_share", shares.on_cpu);
  put(json, "runnable_share", shares.runnable);
  put(json, "blocked_share", shares.blocked);
  if (after.times_source.empty())
    put_null(json, "times_source", after.shares.on_cpu.reason);
  else
    json["times_source"] = after.times_source;
  put_difference(json, "context_switches", before.context_switches, after.context_switches);
  put_difference(json, "voluntary_switches", before.voluntary_switches, after.voluntary_switches);
  put_difference(json, "involuntary_switches", before.involuntary_switches,
                 after.involuntary_switches);
  put_difference(json, "wakeups", before.wakeups, after.wakeups);
  put_difference(json, "page_faults", before.page_faults, after.page_faults);
  json["restarts"] = after.restarts;
  put_blocked(json, after.blocked);
  json["lifetime"] = {{"bytes", last.counts.items}, {"syscalls", last.counts.syscalls}};
  return json;
}

Json ring_json(const RingView& ring) {
  Json json = {{"slots", ring.slots}, {"bytes", ring.bytes}};
  put_occupancy(json, ring.occupancy);
  put_kinds(json, ring.kinds);
  return json;
}

Json table_json(const FunctionTable& table) {
  Json rows = Json::array();
  for (const FunctionRow& row : table.rows())
    rows.push_back({{"name", row.name},
                    {"self_share", rounded(table.share(row.self_samples))},
                    {"children_share", rounded(table.share(row.children_samples))},
                    {"self_samples", row.self_samples},
                    {"children_samples", row.children_samples}});
  Json json = {{"samples", table.samples}, {"lost", table.lost}, {"rows", rows}};
  if (table.tree->paths)
    json["tree"] = call_tree_json(*table.tree);
  else
    put_null(json, "tree", "not kept");
  return json;
}

void put_functions(Json& json, const Snapshot& s) {
  if (!s.event.has_value()) return put_null(json, "functions", s.event.reason);
  Json functions = {{"event", s.event->name}, {"hz", s.event->hz}};
  for (const WorkerView& worker : s.workers) {
    const std::string& role = worker.name;
    if (role.empty()) continue;
    if (worker.functions.has_value())
      functions[role] = table_json(*worker.functions);
    else
      put_null(functions, role, worker.functions.reason);
  }
  json["functions"] = functions;
}

void put_integrity(Json& json, const Snapshot& s) {
  if (!s.integrity.has_value()) return put_null(json, "integrity", s.integrity.reason);
  const Integrity& i = *s.integrity;
  json["integrity"] = {{"verified", i.verified},
                       {"misplaced", i.misplaced},
                       {"torn", i.torn},
                       {"unstamped", i.unstamped},
                       {"epochs", i.epochs}};
}

Json parts_json(const Snapshot& s) {
  Json parts = Json::array();
  for (const PartView& part : s.parts) {
    Json json = {{"name", part.name}, {"pid", part.pid}};
    put(json, "cpu", part.cpu);
    put(json, std::string(unit_of(s.requested).key), part.rate);
    parts.push_back(std::move(json));
  }
  return parts;
}

Json figures_json(const Snapshot& s) {
  Json json = Json::object();
  for (const Figure& figure : s.figures) put(json, figure.key, figure.value);
  return json;
}

void put_verdict(Json& json, const Reading<Verdict>& verdict) {
  if (!verdict.has_value()) return put_null(json, "verdict", verdict.reason);
  json["verdict"] = {{"kind", to_text(verdict->bound)}, {"because", verdict->because}};
}

void put_result(Json& json, const RunResult& result) {
  json["name"] = result.name;
  json["version"] = kVersion;
  json["host"] = host_json(result.end.host.get(), result.steal_share);
  json["requested"] = knobs_json(result.end.requested);
  json["effective"] = effective_json(result.end);
  json["duration_ns"] = result.duration_ns();
  const Unit& unit = unit_of(result.end.requested);
  json[std::string(unit.items)] = result.bytes();
  json[std::string(unit.key)] = rate_json(result);
  for (const Role role : roles_of(result.end.requested))
    json[result.end.worker(role).name] = worker_json(result, role);
  json["parts"] = parts_json(result.end);
  json["figures"] = figures_json(result.end);
  if (terms_of(result.end.requested).has_ring) json["ring"] = ring_json(result.end.ring);
  put_functions(json, result.end);
  put_integrity(json, result.last);
  put_verdict(json, result.end.verdict);
}

}  // namespace

Json run_json(const RunResult& result) {
  Json json = {{"schema", kSchema}};
  put_result(json, result);
  return json;
}

std::string print_json(const RunResult& result) { return to_lines(run_json(result)); }

std::string print_jsonl(const Interval& interval) {
  Json json = {{"schema", kSchema},
               {"type", "interval"},
               {"t_ns", interval.since_start_ns},
               {"duration_ns", interval.duration_ns},
               {std::string(unit_of(interval.settings).items), interval.bytes()},
               {std::string(unit_of(interval.settings).key), rounded(interval.rate())}};
  for (const Role role : roles_of(interval.settings))
    json[std::string(role_name(interval.settings, role))] =
        counts_json(interval.workers[static_cast<size_t>(role)]);
  return to_line(json);
}

std::string print_jsonl(const RunResult& result) {
  Json json = {{"schema", kSchema}, {"type", "summary"}};
  put_result(json, result);
  return to_line(json);
}

}  // namespace pipetop::tui

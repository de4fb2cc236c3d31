#include "tui/print/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/base/text.h"
#include "engine/workload/table/workloads.h"

namespace pipetop::tui {
namespace {

// `auto` stays a word: the effective settings have its size.
Json size_json(const std::string& value) {
  if (value == "auto") return value;
  return parse_size(value);
}

Json value_json(const Knob& knob, const std::string& value) {
  switch (knob.kind) {
    case KnobKind::boolean:
      return value == "true";
    case KnobKind::size:
      return size_json(value);
    case KnobKind::cpu:
    case KnobKind::number:
      return std::stoll(value);  // a recording may hold any of 32 bits, with or without a sign
    case KnobKind::choice:
      break;
  }
  return value;
}

// Equal ones by name.
Json heaviest_first(std::vector<Json> nodes, const std::string& weight) {
  std::ranges::sort(nodes, [&](const Json& a, const Json& b) {
    return std::tie(b[weight], a["name"]) < std::tie(a[weight], b["name"]);
  });
  return nodes;
}

}  // namespace

std::string json_dump(const Json& json, int indent) {
  const std::string dumped = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (std::string_view rest = dumped; !rest.empty();) {
    const char32_t c = take_code_point(rest);
    if ((!is_control(c) || c == U'\n') && !is_invisible(c))
      append_utf8(text, c);
    else if (c < 0x10000)
      text += fmt::format("\\u{:04x}", uint32_t(c));
    else  // in UTF-16
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (c >> 10), 0xDC00 + (c & 0x3FF));
  }
  return text;
}

void put_null(Json& json, std::string_view name, std::string_view reason) {
  json[name] = nullptr;
  json[fmt::format("{}_reason", name)] = reason;
}

Json short_host_json(const HostInfo& host) {
  return {{"kernel", host.kernel},
          {"cpu", host.cpu},
          {"cpus", host.cpus},
          {"hypervisor", host.hypervisor}};
}

Json host_json(const HostInfo* host, const Reading<double>& steal_share) {
  Json json = Json::object();
  if (host) {
    json = short_host_json(*host);
    json["mitigations"] = Json::object();
    for (const Mitigation& m : host->mitigations) json["mitigations"][m.flaw] = m.state;
    json["thp"] = host->thp;
    put_if(!host->governor.empty(), json, "governor", host->governor, "the clock has none");
    put_if(!host->psi.empty(), json, "psi", host->psi, "the kernel keeps none");
    put_if(host->pipe_max_size != 0, json, "pipe_max_size", host->pipe_max_size, kNoPipeMax);
  }
  put(json, "steal_share", steal_share);
  return json;
}

Json knobs_json(const Settings& settings) {
  Json json = Json::object();
  for (const Knob& knob : knobs_of(settings)) {
    const std::string value = knob.get(settings);
    if (value.empty())
      put_null(json, knob.name, knob.kind == KnobKind::cpu ? "not chosen" : "the roles differ");
    else
      json[knob.name] = value_json(knob, value);
  }
  return json;
}

void put_article(Json& json, const Preset& preset) {
  const double figure = preset.article_gib_per_s;
  put_if(figure > 0, json, "article_gib_per_s", figure, "the article prints none");
}

Json mismatches_json(const std::vector<Mismatch>& mismatches) {
  return list_json(mismatches, [](const Mismatch& m) -> Json {
    return {{"knob", m.knob},
            {"requested", m.requested},
            {"effective", m.effective},
            {"reason", m.reason}};
  });
}

Json figures_json(const std::vector<Figure>& figures) {
  Json json = Json::object();
  for (const Figure& figure : figures) put(json, figure.key, figure.value);
  return json;
}

Json rate_json(const RateStats& rate) {
  Json json = {{"mean", rounded(rate.mean)},     {"median", rounded(rate.median)},
               {"stddev", rounded(rate.stddev)}, {"min", rounded(rate.min)},
               {"max", rounded(rate.max)},       {"samples", rate.samples}};
  put_if(rate.plus_minus.has_value(), json, "plus_minus", rounded(rate.plus_minus.value_or(0)),
         "too few rates");
  return json;
}

Json spread_json(const Spread& spread) {
  return {{"median", rounded(spread.median)},
          {"quartiles", {rounded(spread.lower), rounded(spread.upper)}}};
}

Json whole_spread_json(const Spread& spread) {
  Json json = spread_json(spread);
  json["min"] = rounded(spread.least);
  json["max"] = rounded(spread.most);
  json["samples"] = spread.count;
  return json;
}

Json ratios_json(const Spread& spread, const RatioInterval& interval) {
  Json json = whole_spread_json(spread);
  json["mean"] = rounded(interval.ratio);
  put_if(interval.is_known(), json, "interval", {rounded(interval.low), rounded(interval.high)},
         "one round only");
  return json;
}

Json noise_json(const Trial& trial) {
  Json json = {{"words", trial.noise()}};
  put(json, "cpu_pressure_share", trial.cpu_pressure);
  put(json, "throttling", trial.around.throttling, [](const Throttling& t) -> Json {
    return {{"share", rounded(t.share)}, {"cpus", rounded(t.cpus)}, {"cgroup", t.cgroup}};
  });
  put(json, "drift_ratio", trial.around.drift);
  json["neighbours"] = list_json(trial.around.neighbours, [](const Neighbour& n) -> Json {
    return {{"name", n.name}, {"pid", n.pid}, {"cpus_in_use", rounded(n.cpus)}};
  });
  return json;
}

void put_shares(Json& json, const TimeShares& shares) {
  put(json, "on_cpu_share", shares.on_cpu);
  put(json, "runnable_share", shares.runnable);
  put(json, "blocked_share", shares.blocked);
}

void put_times_source(Json& json, const WorkerReadings& worker) {
  put_if(!worker.times_source.empty(), json, "times_source", worker.times_source,
         worker.shares.on_cpu.reason);
  if (worker.overstates_cpu())
    json["times_note"] = "schedstat overstates on_cpu_share, by 7 to 13 points or more";
}

void put_difference(Json& json, std::string_view name, const WorkerReadings& before,
                    const WorkerReadings& after, Reading<uint64_t> WorkerReadings::*total) {
  const Reading<uint64_t>&first = before.*total, &last = after.*total;
  const bool restarted = after.restarts != before.restarts && total != &WorkerReadings::wakeups;
  if (!first.has_value() || !last.has_value())
    put_null(json, name, last.has_value() ? first.reason : last.reason);
  else if (restarted || *last < *first)
    put_null(json, name, "the process was restarted");
  else
    json[name] = *last - *first;
}

Json functions_json(const FunctionTable& table) {
  const auto row_json = [&](const FunctionRow& row) -> Json {
    return {{"name", row.name},
            {"self_share", rounded(table.share(row.self_samples))},
            {"children_share", rounded(table.share(row.children_samples))}};
  };
  return {{"samples", table.samples},
          {"share_error", rounded(table.share_error())},
          {"lost", table.lost},
          {"rows", list_json(table.rows(), row_json)}};
}

Json call_tree_json(const CallTree& tree, std::string_view unit) {
  const std::string self = fmt::format("self_{}", unit), total = fmt::format("total_{}", unit);
  const auto share = [&](uint64_t weight) { return rounded(double(weight) / double(tree.total)); };
  const size_t roots = tree.nodes.size();
  std::vector<std::vector<Json>> callees(roots + 1);
  // Callees follow their callers.
  for (size_t i = roots; i-- > 0;) {
    const CallNode& node = tree.nodes[i];
    callees[node.parent == CallNode::kNone ? roots : node.parent].push_back(
        {{"name", node.function.name()},
         {self, node.self},
         {total, node.total},
         {"self_share", share(node.self)},
         {"total_share", share(node.total)},
         {"children", heaviest_first(std::move(callees[i]), total)}});
  }
  return heaviest_first(std::move(callees[roots]), total);
}

void put_ring(Json& json, const Reading<Occupancy>& occupancy,
              const Reading<std::array<double, kSlotKinds>>& kinds) {
  put(json, "occupancy", occupancy, [](const Occupancy& o) -> Json {
    return {{"source", o.source},
            {"samples", o.samples},
            {"mean", rounded(o.mean_share)},
            {"empty_share", rounded(o.empty_share)},
            {"full_share", rounded(o.full_share)},
            {"histogram", list_json(o.histogram, rounded)}};
  });
  put(json, "kinds", kinds, [](const auto& shares) {
    Json by_name = Json::object();
    for (size_t i = 0; i < kSlotKinds; ++i)
      if (shares[i] > 0) by_name[kKindNames[i]] = rounded(shares[i]);
    return by_name;
  });
}

}  // namespace pipetop::tui

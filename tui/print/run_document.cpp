#include <fmt/format.h>

#include <algorithm>

#include "engine/registry/knobs.h"
#include "engine/registry/terms.h"
#include "tui/print/document.h"
#include "tui/print/run_result.h"

namespace pipetop::tui {
namespace {

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
  for (const Knob& knob : knobs_of(settings)) add_knobs(columns, {knob.name});
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

Document run_document(const RunResult& result) {
  Document document{"summary", run_json(result), run_text(result)};
  document.columns = run_columns(result.end.requested, document.tree);
  document.rows = {run_row(result, document.tree)};
  return document;
}

Document interval_document(const Interval& interval) {
  return {"interval", interval_json(interval), interval_text(interval)};
}

}  // namespace pipetop::tui

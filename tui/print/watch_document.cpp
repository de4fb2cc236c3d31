#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "tui/print/human_text.h"
#include "tui/print/watch.h"

namespace pipetop::tui {
namespace {

constexpr const char* kNotAsked = "read only for the first holders of a pipe";
constexpr const char* kNotCounted = "bytes are not counted; give --exact";

Json id_json(PipeId id) { return {{"device", id.device}, {"inode", id.inode}}; }

constexpr const char* kStates[] = {"running", "runnable", "waiting", "zombie"};

Json state_json(const Stage& stage) {
  const StageState& state = stage.state;
  if (stage.gone) return {{"state", "gone"}};
  Json json = {{"state", kStates[static_cast<size_t>(state.kind)]}};
  if (state.kind != StageState::Kind::waiting) return json;
  json["waits_for"] = name_of(state.wait);
  if (state.pipe) json["pipe"] = id_json(*state.pipe);
  return json;
}

Json shares_json(const StageShares& shares) {
  Json json = {{"on_cpu_share", rounded(shares.on_cpu)},
               {"runnable_share", rounded(shares.runnable)},
               {"reading_share", rounded(shares.reading)},
               {"writing_share", rounded(shares.writing)},
               {"elsewhere", Json::object()}};
  for (size_t i = 0; i < kWaits; ++i)
    if (shares.elsewhere[i] > 0)
      json["elsewhere"][fmt::format("{}_share", name_of(static_cast<WaitsFor>(i)))] =
          rounded(shares.elsewhere[i]);
  return json;
}

Json stage_json(const Stage& stage, const std::string& missing) {
  Json json = {{"pid", stage.id.pid},       {"start_ticks", stage.id.start_ticks},
               {"name", stage.name},        {"command", stage.command},
               {"age_ns", stage.age_ns},    {"threads", stage.threads},
               {"doing", state_json(stage)}};
  put(json, "cpus_in_use", stage.cpu);
  put_known(json, "cpu_ns", stage.cpu_ns, missing);
  put(json, "shares", stage.shares, shares_json);
  const bool asked = !stage.cpus.empty();
  put_if(asked, json, "nice", stage.nice, kNotAsked);
  put_if(asked, json, "may_use_cpus", stage.cpus, kNotAsked);
  return json;
}

Json end_json(const StageEnd& end) {
  Json json = {{"stage", end.stage},
               {"pid", end.end.process.pid},
               {"fd", end.end.fd},
               {"active", end.active},
               {"nonblocking", end.end.nonblocking}};
  put_known(json, "bytes", end.bytes, kNotCounted);
  return json;
}

Json occupancy_json(const RingLevel& shares) {
  return {{"mean", rounded(shares.mean_share)},
          {"empty_share", rounded(shares.empty_share)},
          {"full_share", rounded(shares.full_share)},
          {"samples", shares.samples}};
}

Json pipe_json(const Pipe& pipe, uint64_t now_ns, const std::string& missing) {
  Json json = id_json(pipe.id);
  put_if(!pipe.path.empty(), json, "path", pipe.path, "it is no FIFO");
  json["own"] = pipe.own;
  json["age_ns"] = now_ns > pipe.first_seen_ns ? now_ns - pipe.first_seen_ns : 0;
  json["older"] = pipe.older;
  put_known(json, "capacity_bytes", pipe.capacity, missing);
  put_known(json, "queued_bytes", pipe.queued, missing);
  put_if(pipe.ring.has_value(), json, "ring",
         pipe.ring ? Json{{"slots", pipe.ring->slots}, {"used", pipe.ring->used()}} : Json(),
         missing);
  put(json, "occupancy", pipe.level, occupancy_json);
  put(json, "bytes_per_s", pipe.bytes_per_s);
  put_known(json, "bytes", pipe.total_bytes, missing);
  json["exact"] = pipe.exact;
  put_known(json, "open_to_write", pipe.kernel_writers, missing);
  put_known(json, "open_to_read", pipe.kernel_readers, missing);
  json["writers"] = list_json(pipe.writers, end_json);
  json["readers"] = list_json(pipe.readers, end_json);
  return json;
}

Json stages_json(const std::vector<Stage>& stages, const std::string& missing) {
  return list_json(stages, [&](const Stage& stage) { return stage_json(stage, missing); });
}

Json row_json(const PipeRow& row, uint64_t now_ns, const std::string& missing) {
  Json json = {{"pipeline", row.pipeline}};
  json.update(pipe_json(row.pipe, now_ns, missing));
  json["stages"] = stages_json(row.stages, missing);
  return json;
}

Json bottleneck_json(const Verdict& found) {
  Json json = {{"kind", name_of(found.kind)}};
  put_if(found.stage.has_value(), json, "pid", found.stage ? Json(found.stage->pid) : Json(),
         "no single stage");
  put_if(found.wait != WaitsFor::none, json, "waits_for", name_of(found.wait), "nothing");
  json["line"] = found.because;
  json["evidence"] = found.evidence;
  return json;
}

// The changes that this pipetop made, and pipetops that have ended.
Json interventions_json(const Snapshot& now, const WatchPrint& how) {
  Json json = list_json(how.leftovers, [](const std::string& text) -> Json {
    return {{"text", text}, {"leftover", true}};
  });
  for (const Intervention& one : now.interventions)
    json.push_back({{"text", one.text}, {"leftover", false}});
  return json;
}

constexpr const char* kSources[] = {"bpf", "proc"};  // by ScanSource

Json head_json(const Snapshot& now, const WatchPrint& how) {
  Json json = {{"version", kVersion},
               {"unix_ns", now.unix_ns},
               {"t_ns", now.now_ns - how.begin_ns},
               {"source", kSources[static_cast<size_t>(now.table.source)]},
               {"scan_ns", uint64_t(now.table.scan_ms * 1e6)},
               {"counts_bytes", now.counts_bytes}};
  if (!now.no_bpf.empty()) json["source_reason"] = now.no_bpf;
  put_known(json, "socketpairs", now.table.socketpairs,
            now.no_bpf.empty() ? "not counted" : now.no_bpf);
  json["unreadable_processes"] = now.table.unreadable;
  json["left_out"] = list_json(now.table.left_out, [](const LeftOut& one) {
    return Json{{"pid", one.process.pid}, {"ends", one.ends}};
  });
  json["interventions"] = interventions_json(now, how);
  return json;
}

std::string end_text(const CommandResult& result) {
  return result.signal != 0 ? fmt::format("ended by signal {}", result.signal)
                            : fmt::format("exit status {}", result.exit_code);
}

std::string summary_text(const CommandResult& result, int columns) {
  std::string text = fmt::format("{}: {}, {} of CPU, {}\n", command_text(result.words),
                                 seconds_text(result.duration_ns, 2),
                                 seconds_text(result.cpu_ns, 2), end_text(result));
  if (!result.reason.empty()) text += result.reason + "\n";
  if (!result.pipeline.has_value()) return text + result.pipeline.reason + "\n";
  return text + "\n" + pipeline_text(*result.pipeline, columns);
}

}  // namespace

std::string missing_of(const std::string& reason) { return reason.empty() ? "not seen" : reason; }

Json pipeline_json(const Pipeline& pipeline, uint64_t now_ns, const std::string& missing) {
  Json json = {{"title", pipeline.title()},
               {"window_ns", pipeline.window_ns},
               {"bottleneck", bottleneck_json(pipeline.verdict)},
               {"stages", stages_json(pipeline.stages, missing)},
               {"pipes", list_json(pipeline.pipes, [&](const Pipe& pipe) {
                  return pipe_json(pipe, now_ns, missing);
                })}};
  for (size_t i = 0; i < pipeline.stages.size(); ++i)
    put(json["stages"][i], "functions", pipeline.stages[i].functions, functions_json);
  return json;
}

Document watch_document(const Snapshot& now, const WatchPrint& how) {
  Json json = head_json(now, how);
  const std::string missing = missing_of(now.no_bpf);
  if (!now.watched) {
    const auto rows = pipes_shown(now.table.rows.get(), how.sort, how.filter);
    json["over_ns"] = how.over_ns;
    json["pipes"] =
        list_json(rows, [&](const PipeRow* row) { return row_json(*row, now.now_ns, missing); });
    return {"pipes", std::move(json), how.text ? table_text(rows, now, how) : ""};
  }
  json.update(pipeline_json(*now.watched, now.now_ns, missing));
  if (!how.text) return {"pipeline", std::move(json)};
  std::string reason = now.no_bpf.empty() ? "" : now.no_bpf + "\n";
  if (!now.table.left_out.empty()) reason += left_out_text(now.table.left_out) + "\n";
  return {"pipeline", std::move(json), reason + pipeline_text(*now.watched, how.columns)};
}

Document command_document(const CommandResult& result, int columns) {
  Json json = {{"version", kVersion},
               {"command", result.words},
               {"duration_ns", result.duration_ns},
               {"cpu_ns", result.cpu_ns},
               {"exit_status", result.exit_code}};
  put_if(result.signal != 0, json, "signal", result.signal, "it exited by itself");
  if (!result.reason.empty()) json["source_reason"] = result.reason;
  put(json, "pipeline", result.pipeline, [&](const Pipeline& pipeline) {
    return pipeline_json(pipeline, result.now_ns, missing_of(result.reason));
  });
  return {"summary", std::move(json), summary_text(result, columns)};
}

}  // namespace pipetop::tui

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "tui/print/human_text.h"
#include "tui/print/watch.h"

namespace pipetop::tui {
namespace {

constexpr const char* kSources[] = {"bpf", "proc"};  // by ScanSource

Json head_json(const WatchSnapshot& now, const WatchPrint& how) {
  Json json = {{"version", kVersion},
               {"unix_ns", now.unix_ns},
               {"t_ns", now.now_ns - how.begin_ns},
               {"source", kSources[static_cast<size_t>(now.source)]},
               {"scan_ns", uint64_t(now.scan_ms * 1e6)},
               {"counts_bytes", now.counts_bytes}};
  if (!now.reason.empty()) json["source_reason"] = now.reason;
  put_if(now.socketpairs.has_value(), json, "socketpairs",
         now.socketpairs ? Json(*now.socketpairs) : Json(),
         now.reason.empty() ? "not counted" : now.reason);
  json["unreadable_processes"] = now.unreadable;
  json["left_out"] = list_json(now.left_out, [](const LeftOut& one) {
    return Json{{"pid", one.process.pid}, {"ends", one.ends}};
  });
  return json;
}

std::string seconds_text(uint64_t ns) { return fmt::format("{:.2f} s", double(ns) / 1e9); }

std::string end_text(const CommandResult& result) {
  return result.signal != 0 ? fmt::format("ended by signal {}", result.signal)
                            : fmt::format("exit status {}", result.exit_code);
}

std::string summary_text(const CommandResult& result, int columns) {
  std::string text =
      fmt::format("{}: {}, {} of CPU, {}\n", command_text(result.words),
                  seconds_text(result.duration_ns), seconds_text(result.cpu_ns), end_text(result));
  if (!result.reason.empty()) text += result.reason + "\n";
  if (!result.pipeline.has_value()) return text + result.pipeline.reason + "\n";
  return text + "\n" + pipeline_text(*result.pipeline, columns);
}

}  // namespace

Document watch_document(const WatchSnapshot& now, const WatchPrint& how) {
  Json json = head_json(now, how);
  if (!now.pipeline) {
    json["over_ns"] = how.over_ns;
    json["pipes"] = table_json(now, how);
    return {"pipes", std::move(json), table_text(now, how)};
  }
  json.update(pipeline_json(*now.pipeline, now.now_ns, missing_of(now.reason)));
  std::string reason = now.reason.empty() ? "" : now.reason + "\n";
  if (!now.left_out.empty()) reason += left_out_text(now.left_out) + "\n";
  return {"pipeline", std::move(json), reason + pipeline_text(*now.pipeline, how.columns)};
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

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "tui/draw/numbers.h"
#include "tui/draw/text.h"
#include "tui/print/human_text.h"
#include "tui/print/tree.h"
#include "tui/print/watch.h"
#include "tui/widgets/pipes.h"

namespace pipetop::tui {
namespace {

constexpr int kGap = 2;  // between the columns of a table

std::string percent(const Reading<RingLevel>& shares, double RingLevel::*part) {
  return shares.has_value() ? whole_percent_text((*shares).*part) : kUnknown;
}

// ---- the table of all pipes -------------------------------------------------

// "1202:0 gzip +2"; in brackets if nobody moves its data.
std::string who(const PipeRow& row, const std::vector<StageEnd>& ends,
                const std::optional<uint32_t>& open) {
  const StageEnd* end = main_end(ends);
  if (!end && row.pipe.socket && row.pipe.socket->tcp) return row.pipe.socket->name;
  if (!end) return open == 0u ? "closed" : kUnknown;
  std::string text =
      fmt::format("{}:{} {}", end->end.process.pid, end->end.fd, row.stages.at(end->stage).name);
  if (!end->active) return fmt::format("({})", text);
  const auto active = std::ranges::count_if(ends, &StageEnd::active);
  return active == 1 ? text : fmt::format("{} +{}", text, active - 1);
}

std::string note(const PipeRow& row) {
  std::string name = row.pipe.socket          ? tui::name_of(row.pipe)
                     : !row.pipe.path.empty() ? row.pipe.path
                     : row.pipe.own           ? "internal: both ends in one process"
                                              : "";
  if (!row.pipe.lock) return name;
  return name.empty() ? "locked" : "locked, " + name;
}

// A line for each of the first ones: who holds it is too long for the table.
std::string locks_text(const std::vector<const PipeRow*>& rows) {
  constexpr size_t kMostLines = 8;
  std::string text;
  size_t locked = 0;
  for (const PipeRow* row : rows) {
    const Pipe& pipe = row->pipe;
    if (pipe.lock && ++locked <= kMostLines)
      text += fmt::format("{} ({} to {}) is {}\n", tui::name_of(pipe),
                          ends_text(pipe, row->stages, Role::writer),
                          ends_text(pipe, row->stages, Role::reader), lock_text(*pipe.lock));
  }
  if (locked > kMostLines) text += fmt::format("{} more are locked\n", locked - kMostLines);
  return text;
}

struct PrintedColumn {
  TableColumn what;
  int most;  // how wide it gets; 0: what the others leave
  char align = '>';
  int spared = 0;  // a narrow terminal does without those with low numbers first, never those of 0
};

constexpr PrintedColumn kColumns[] = {
    {TableColumn::writer, 0, '<'},   {TableColumn::writer_state, 12, '<'},
    {TableColumn::reader, 0, '<'},   {TableColumn::reader_state, 12, '<'},
    {TableColumn::size, 8, '>', 2},  {TableColumn::queued, 8, '>', 1},
    {TableColumn::empty, 5, '>', 3}, {TableColumn::full, 5},
    {TableColumn::rate, 11},         {TableColumn::pipe, 40, '<', 4},
};

// As on the screen, but for what depends on its width, and what is not known.
std::string cell_text(const PipeRow& row, TableColumn what) {
  const Pipe& pipe = row.pipe;
  if (what == TableColumn::writer) return who(row, pipe.writers, pipe.kernel_writers);
  if (what == TableColumn::reader) return who(row, pipe.readers, pipe.kernel_readers);
  if (what == TableColumn::pipe) return note(row);
  const PipeColumn& column = pipe_column(what);
  return column.rank && !column.rank(row) ? kUnknown : column.cell(row, 0).text;
}

// The state of an end stands beside its name.
std::string heading_of(TableColumn what) {
  const bool is_state = what == TableColumn::writer_state || what == TableColumn::reader_state;
  return is_state ? "state" : std::string(pipe_column(what).heading);
}

// A column of the table, and how wide its cells are.
struct Filled {
  const PrintedColumn* column;
  std::string heading;
  std::vector<std::string> cells;
  int width;  // 0: what the others leave

  Filled(const PrintedColumn& which, const std::vector<const PipeRow*>& rows)
      : column(&which), heading(heading_of(which.what)), width(columns_of(heading)) {
    for (const PipeRow* row : rows) cells.push_back(cell_text(*row, which.what));
    for (const std::string& cell : cells) width = std::max(width, columns_of(cell));
    width = std::min(width, which.most);
  }
};

// What the flexible columns get, each.
int room_for_names(const std::vector<Filled>& columns, int width) {
  const auto add = [](int sum, const Filled& f) { return sum + f.width + kGap; };
  const auto names = std::ranges::count(columns, 0, &Filled::width);
  return (width + kGap - std::accumulate(columns.begin(), columns.end(), 0, add)) / int(names);
}

std::vector<Filled> columns_for(const std::vector<const PipeRow*>& rows, int width) {
  constexpr int kLeastName = 11, kMostSpared = 4;
  const bool has_notes = std::ranges::any_of(rows, [](auto row) { return !note(*row).empty(); });
  std::vector<Filled> filled;
  for (const PrintedColumn& column : kColumns)
    if (has_notes || column.what != TableColumn::pipe) filled.emplace_back(column, rows);
  for (int spared = 1; spared <= kMostSpared && room_for_names(filled, width) < kLeastName;
       ++spared)
    std::erase_if(filled, [&](const Filled& f) { return f.column->spared == spared; });
  return filled;
}

std::string table_head(const Snapshot& now, const WatchPrint& how, size_t shown) {
  std::string text = counted(now.table.rows.size(), "pipe");
  if (shown != now.table.rows.size()) text = fmt::format("{} of {}", shown, text);
  text += fmt::format(", over {}; ~ is estimated", seconds_text(how.over_ns));
  if (now.table.idle_sockets.value_or(0) > 0)
    text += fmt::format("; without {}", counted(*now.table.idle_sockets, "idle socket"));
  if (now.table.self_pipes > 0)
    text += fmt::format("; without {} of pipetop itself", counted(now.table.self_pipes, "pipe"));
  if (now.table.unreadable > 0)
    text +=
        fmt::format("; {} not readable", now.table.unreadable == 1
                                             ? "1 process"
                                             : fmt::format("{} processes", now.table.unreadable));
  text += now.table.left_out.empty() ? "\n" : "\n" + left_out_text(now.table.left_out) + "\n";
  return text + (now.no_bpf.empty() ? "" : fmt::format("seen by /proc only: {}\n", now.no_bpf));
}

std::string table_text(const std::vector<const PipeRow*>& rows, const Snapshot& now,
                       const WatchPrint& how) {
  const std::vector<Filled> filled = columns_for(rows, how.columns);
  const int room = std::max(1, room_for_names(filled, how.columns));
  std::vector<TextColumn> looks;
  for (const Filled& f : filled)
    looks.push_back({f.heading, f.column->align, 0, f.column->most == 0 ? room : f.column->most});
  TextTable table(looks);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells;
    for (const Filled& f : filled) cells.push_back(f.cells[i]);
    table.add(std::move(cells));
  }
  return table_head(now, how, rows.size()) + locks_text(rows) +
         (rows.empty() ? "" : "\n" + table.text());
}

// ---- a pipeline -------------------------------------------------------------

// "disk 12 %, network 3 %", the longest first.
std::string elsewhere(const StageShares& shares, size_t most) {
  constexpr double kLeast = 0.005;
  std::vector<std::pair<double, std::string_view>> waits;
  for (size_t i = 0; i < kWaits; ++i)
    if (shares.elsewhere[i] >= kLeast)
      waits.emplace_back(shares.elsewhere[i], name_of(static_cast<WaitsFor>(i)));
  std::ranges::stable_sort(waits, std::greater(), [](const auto& wait) { return wait.first; });
  std::vector<std::string> texts;
  for (const auto& [share, name] : waits)
    if (texts.size() < most) texts.push_back(fmt::format("{} {}", name, whole_percent_text(share)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<std::string> stage_cells(const Stage& stage, size_t most_waits) {
  const auto share = [&](double StageShares::*part) {
    return stage.shares.has_value() ? whole_percent_text((*stage.shares).*part) : kUnknown;
  };
  return {fmt::format("{}", stage.id.pid),
          stage.command.empty() ? stage.name : stage.command,
          stage.cpu.has_value() ? whole_percent_text(*stage.cpu) : kUnknown,
          stage.cpu_ns ? seconds_text(*stage.cpu_ns, 2) : kUnknown,
          share(&StageShares::runnable),
          share(&StageShares::reading),
          share(&StageShares::writing),
          stage.shares.has_value() ? elsewhere(*stage.shares, most_waits) : ""};
}

// Beside others that go on.
void mark_gone(std::string& last_cell) { last_cell += last_cell.empty() ? "exited" : ", exited"; }

// Its ends are named unless they are the stages above and below.
std::string ring_text(const Pipeline& pipeline, const Pipe& pipe, size_t above) {
  const auto writers = active_stages(pipe.writers), readers = active_stages(pipe.readers);
  std::vector<std::string> ends;
  if (writers != std::vector{above})
    ends.push_back("from " + ends_text(pipe, pipeline.stages, Role::writer));
  if (readers != std::vector{above + 1})
    ends.push_back("to " + ends_text(pipe, pipeline.stages, Role::reader));
  std::string text = fmt::format("{}{}", fmt::join(ends, " "), ends.empty() ? "" : ": ");
  if (!pipe.path.empty() || pipe.socket) text += tui::name_of(pipe) + ", ";
  text += fmt::format("{} {}, empty {}, full {}", size_text(pipe.capacity),
                      !pipe.socket                ? "ring"
                      : pipe.socket->from_outside ? "receive buffer"
                                                  : "send buffer",
                      percent(pipe.level, &RingLevel::empty_share),
                      percent(pipe.level, &RingLevel::full_share));
  if (pipe.queued) text += fmt::format(", {} queued", size_text(pipe.queued));
  if (pipe.lock) text += ", " + lock_text(*pipe.lock);
  text += fmt::format(", {}", pipe.bytes_per_s.has_value() ? pipe_rate_text(pipe) : kUnknown);
  if (const std::string range = range_text(pipe); !range.empty())
    text += fmt::format(" ({})", range);
  if (!pipe.total_bytes) return text;
  return fmt::format("{}, {} {}", text, pipe_total_text(pipe),
                     !pipe.closed ? "so far"
                     : pipe.exact ? "in all"
                                  : "or more");
}

// Below its last writer; at the top if there is none.
size_t place_of(const Pipe& pipe) {
  size_t place = 0;
  for (const StageEnd& end : pipe.writers)
    if (end.active) place = std::max(place, end.stage + 1);
  return place;
}

std::string wrapped(std::string_view text, int columns, std::string_view indent) {
  std::string lines;
  for (const std::string_view line : broken(text, columns - int(indent.size())))
    lines += fmt::format("{}{}\n", indent, line);
  return lines;
}

std::string stages_text(const Pipeline& pipeline, int columns) {
  constexpr int kFigures = 76;  // what the columns behind the command take
  const bool narrow = columns < 100;
  const bool all_gone = std::ranges::all_of(pipeline.stages, &Stage::gone);
  TextTable table({{"pid", '>', 7},
                   {"stage", '<', 0, std::clamp(columns - kFigures, 12, 60)},
                   {"CPU", '>', 5},
                   {"CPU time", '>'},
                   {"runnable", '>'},
                   {"reading", '>'},
                   {"writing", '>'},
                   {"elsewhere"}});
  const auto add_rings = [&](size_t place) {
    for (const Pipe& pipe : pipeline.pipes)
      if (place_of(pipe) == place) table.add({"|", ring_text(pipeline, pipe, place - 1)});
  };
  add_rings(0);
  for (size_t i = 0; i < pipeline.stages.size(); ++i) {
    std::vector<std::string> cells = stage_cells(pipeline.stages[i], narrow ? 1 : 3);
    if (pipeline.stages[i].gone && !all_gone) mark_gone(cells.back());
    table.add(std::move(cells));
    add_rings(i + 1);
  }
  return table.text();
}

// ---- JSON ------------------------------------------------------------------

constexpr const char* kNotAsked = "read only for the first holders of a pipe";
constexpr const char* kNotCounted = "bytes are not counted; give --exact";

Json id_json(PipeId id) { return {{"device", id.device}, {"inode", id.inode}}; }

constexpr const char* kStates[] = {"running", "runnable", "waiting", "zombie"};

Json state_json(const StageState& state, bool gone) {
  if (gone) return {{"state", "gone"}};
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
               {"busiest_other_share", rounded(shares.busiest_other)},
               {"elsewhere", Json::object()}};
  for (size_t i = 0; i < kWaits; ++i)
    if (shares.elsewhere[i] > 0)
      json["elsewhere"][fmt::format("{}_share", name_of(static_cast<WaitsFor>(i)))] =
          rounded(shares.elsewhere[i]);
  return json;
}

// What the advice has its numbers from; only what is known.
Json limits_json(const Stage& stage) {
  const StageLimits& limits = stage.limits;
  Json json = Json::object();
  const auto calls = [&](const char* name, const std::optional<CallRate>& of) {
    if (of) json[name] = {{"per_s", rounded(of->per_s)}, {"bytes", rounded(of->bytes)}};
  };
  calls("reads", limits.reads);
  calls("writes", limits.writes);
  if (const auto& quota = limits.quota)
    json["quota"] = {{"throttled_share", rounded(quota->share)},
                     {"cpus", rounded(quota->cpus)},
                     {"cgroup", quota->cgroup}};
  if (stage.quota_cpus && !limits.quota) {
    json["quota"] = {{"cpus", rounded(*stage.quota_cpus)}};
    put_known(json["quota"], "throttled_share", std::optional<double>(), "no period has ended");
  }
  if (limits.idle_cpus) json["idle_cpus"] = rounded(*limits.idle_cpus);
  if (const auto& disk = limits.disk) {
    json["disk"] = {{"name", disk->name}, {"flags", disk->flags}};
    if (disk->busy) json["disk"]["busy_share"] = rounded(*disk->busy);
  }
  if (const auto& socket = limits.socket)
    json["socket"] = {{"peer", socket->peer},
                      {"to_send_bytes", socket->to_send},
                      {"to_read_bytes", socket->to_read}};
  if (const auto& child = limits.child)
    json["child"] = {{"name", child->name}, {"pid", child->pid}};
  return json;
}

Json thread_json(const StageThread& thread, bool gone) {
  Json json = {
      {"tid", thread.tid}, {"name", thread.name}, {"doing", state_json(thread.state, gone)}};
  put_if(!thread.role().empty(), json, "role", thread.role(), thread.shares.reason);
  put(json, "shares", thread.shares, [](const StageShares& shares) {
    Json own = shares_json(shares);
    own.erase("busiest_other_share");
    return own;
  });
  json["pipes"] = list_json(thread.pipes, [](const ThreadPipe& one) {
    Json pipe = id_json(one.pipe);
    pipe[one.writing ? "writing_share" : "reading_share"] = rounded(one.share);
    return pipe;
  });
  return json;
}

Json stage_json(const Stage& stage, const std::string& missing) {
  Json json = {{"pid", stage.id.pid},
               {"start_ticks", stage.id.start_ticks},
               {"name", stage.name},
               {"command", stage.command},
               {"age_ns", stage.age_ns},
               {"threads", stage.threads},
               {"doing", state_json(stage.state, stage.gone)}};
  put(json, "cpus_in_use", stage.cpu);
  put_known(json, "cpu_ns", stage.cpu_ns, missing);
  put(json, "shares", stage.shares, shares_json);
  const bool asked = !stage.cpus.empty();
  put_if(asked, json, "nice", stage.nice, kNotAsked);
  put_if(asked, json, "may_use_cpus", stage.cpus, kNotAsked);
  put_if(!stage.cgroup.empty(), json, "cgroup", stage.cgroup, kNotAsked);
  if (!stage.thread_list.empty()) {
    json["thread_list"] = list_json(stage.thread_list, [&](const StageThread& thread) {
      return thread_json(thread, stage.gone);
    });
    json["threads_left_out"] =
        stage.threads - std::min<size_t>(stage.threads, stage.thread_list.size());
  }
  if (stage.pid_inside != 0) json["pid_inside"] = stage.pid_inside;
  if (Json limits = limits_json(stage); !limits.empty()) json["limits"] = std::move(limits);
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

Json socket_json(const SocketLink& socket) {
  Json json = {{"family", socket.tcp ? "tcp" : "unix"},
               {"buffer", socket.from_outside ? "receive" : "send"},
               {"used_bytes", socket.used},
               {"writable", socket.writable}};
  put_if(!socket.name.empty(), json, socket.tcp ? "peer" : "path", socket.name, "it has no name");
  if (!socket.tcp) return json;
  json["peer_full_share"] = rounded(socket.peer_full_share);
  json["unanswered"] = socket.retries;
  return json;
}

// Who sleeps with it.
void put_lock(Json& json, const std::optional<PipeLock>& lock) {
  json["locked"] = lock.has_value();
  if (!lock) return;
  put_if(lock->holder.pid != 0, json, "locked_by",
         Json{{"pid", lock->holder.pid}, {"name", lock->name}, {"call", lock->call}},
         "nobody was seen in a splice from or to it");
}

Json pipe_json(const Pipe& pipe, uint64_t now_ns, const std::string& not_seen) {
  const std::string missing = pipe.lock ? lock_text(*pipe.lock) : not_seen;
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
  if (pipe.range && !pipe.exact)
    json["bytes_range"] = {{"low", rounded(pipe.range->low)}, {"high", rounded(pipe.range->high)}};
  put_known(json, "bytes", pipe.total_bytes, missing);
  json["exact"] = pipe.exact;
  put_lock(json, pipe.lock);
  if (pipe.larger)
    json["larger_ring"] = {{"capacity_bytes", pipe.larger->bytes},
                           {"gain", rounded(pipe.larger->gain)}};
  if (pipe.socket) json["socket"] = socket_json(*pipe.socket);
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
  json["advice"] = found.advice;
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
  put_known(json, "idle_sockets", now.table.idle_sockets,
            now.no_bpf.empty() ? "not counted" : now.no_bpf);
  json["self_pipes"] = now.table.self_pipes;
  json["unreadable_processes"] = now.table.unreadable;
  json["left_out"] = list_json(now.table.left_out, [](const LeftOut& one) {
    return Json{{"pid", one.process.pid}, {"ends", one.ends}};
  });
  json["interventions"] = interventions_json(now, how);
  return json;
}

constexpr const char* kNoPipe = "no pipe seen: none was made, or it ended too soon";

std::string end_text(const CommandResult& result) {
  return result.signal != 0 ? fmt::format("ended by signal {}", result.signal)
                            : fmt::format("exit status {}", result.exit_code);
}

double share_of(const PipelineRun& run, const CommandResult& result) {
  const double whole_ns = double(std::max<uint64_t>(result.duration_ns, 1));
  return std::min(1.0, double(run.pipeline.window_ns) / whole_ns);
}

uint64_t since_begin_ns(uint64_t at_ns, const CommandResult& result) {
  return at_ns - std::min(at_ns, result.begin_ns);
}

// Says of how many processes a stage is the sum.
Pipeline with_times(const PipelineRun& run) {
  Pipeline pipeline = run.pipeline;
  for (size_t i = 0; i < run.times.size(); ++i)
    if (run.times[i] > 1)
      pipeline.stages[i].command = fmt::format("{}x {}", run.times[i], pipeline.stages[i].name);
  return pipeline;
}

// Which pipeline ran when, and what limited it.
std::string timeline_text(const CommandResult& result, int columns) {
  constexpr int kFigures = 30;  // what the columns before the last one take
  TextTable table({{"from", '>'}, {"for", '>'}, {"share", '>'}, {"seen", '>'}, {"pipeline"}});
  const int room = std::max(20, columns - kFigures);
  for (const PipelineRun& run : result.runs) {
    table.add({seconds_text(since_begin_ns(run.span.begin_ns, result)),
               seconds_text(run.pipeline.window_ns), whole_percent_text(share_of(run, result)),
               fmt::format("{}", run.runs), std::string(beginning(run.pipeline.title(), room))});
    table.add({"", "", "", "", "  " + whole_clauses(run.pipeline.verdict.because, room - 2)});
  }
  return table.text();
}

// Not of a command that is one pipeline.
std::string tree_summary(const CommandResult& result, int columns) {
  constexpr size_t kOnePipeline = 2;  // rows: its shell's and its own
  constexpr double kMissing = 0.05;   // of the CPU time
  if (result.tree.rows.size() <= kOnePipeline) return {};
  std::string text = "\n" + tree_text(result.tree, columns);
  const uint64_t missing_ns = result.cpu_ns - std::min(result.cpu_ns, result.tree_cpu_ns);
  if (double(missing_ns) > kMissing * double(result.cpu_ns))
    text += fmt::format("{} of CPU more were of processes too short to be seen, or of their ends\n",
                        seconds_text(missing_ns, 2));
  return text;
}

std::string summary_text(const CommandResult& result, int columns) {
  std::string text = fmt::format("{}: {}, {} of CPU, {}\n", command_text(result.words),
                                 seconds_text(result.duration_ns, 2),
                                 seconds_text(result.cpu_ns, 2), end_text(result));
  if (!result.reason.empty()) text += result.reason + "\n";
  text += tree_summary(result, columns);
  if (result.runs.empty()) return text + kNoPipe + "\n";
  const auto details = [&](const PipelineRun& run) {
    return "\n" + pipeline_text(with_times(run), columns);
  };
  if (result.runs.size() == 1) return text + details(result.runs[0]);
  text += "\n" + timeline_text(result, columns);
  constexpr double kLarge = 0.1;  // of the time: the others are in the JSON
  for (const PipelineRun& run : result.runs)
    if (share_of(run, result) >= kLarge) text += details(run);
  return text;
}

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

Json run_json(const PipelineRun& run, const CommandResult& result) {
  Json json = pipeline_json(run.pipeline, result.now_ns, missing_of(result.reason));
  json["begin_ns"] = since_begin_ns(run.span.begin_ns, result);
  json["end_ns"] = since_begin_ns(run.span.end_ns, result);
  json["time_share"] = rounded(share_of(run, result));
  json["runs"] = run.runs;
  for (size_t i = 0; i < run.times.size(); ++i) json["stages"][i]["processes"] = run.times[i];
  return json;
}

}  // namespace

Document watch_document(const Snapshot& now, const WatchPrint& how) {
  Json json = head_json(now, how);
  const std::string missing = missing_of(now.no_bpf);
  json["over_ns"] = how.over_ns;
  std::string tree;
  if (now.table.tree) {
    json["tree"] = tree_json(*now.table.tree);
    if (how.text) tree = tree_text(*now.table.tree, how.columns);
    if (!now.watched) return {"pipeline", std::move(json), std::move(tree)};
    tree += "\n";
  }
  if (!now.watched) {
    const auto rows = pipes_shown(now.table.rows.get(), how.sort, how.filter);
    json["pipes"] =
        list_json(rows, [&](const PipeRow* row) { return row_json(*row, now.now_ns, missing); });
    return {"pipes", std::move(json), how.text ? table_text(rows, now, how) : ""};
  }
  json.update(pipeline_json(*now.watched, now.now_ns, missing));
  if (!how.text) return {"pipeline", std::move(json)};
  std::string reason = now.no_bpf.empty() ? "" : now.no_bpf + "\n";
  if (!now.table.left_out.empty()) reason += left_out_text(now.table.left_out) + "\n";
  return {"pipeline", std::move(json),
          reason + tree + pipeline_text(*now.watched, how.columns, how.over_ns)};
}

std::string pipeline_text(const Pipeline& pipeline, int columns, uint64_t over_ns) {
  const uint64_t shares_ns = pipeline.window_ns;
  std::string head = fmt::format("{}, over {}", pipeline.title(),
                                 seconds_text(over_ns != 0 ? over_ns : shares_ns));
  // They come from clocks that may have begun later.
  if (over_ns > shares_ns + shares_ns / 10)
    head += fmt::format(" (shares: {})", seconds_text(shares_ns));
  std::string text = wrapped(head, columns, "");
  text += wrapped(pipeline.verdict.because, columns, "");
  for (const std::string& clause : pipeline.verdict.evidence)
    text += wrapped(clause, columns, "  ");
  if (const std::string line = pipeline.verdict.advice_line(); !line.empty())
    text += wrapped(line, columns, "");
  return text + "\n" + stages_text(pipeline, columns);
}

Document command_document(const CommandResult& result, int columns) {
  Json json = {{"version", kVersion},
               {"command", result.words},
               {"duration_ns", result.duration_ns},
               {"cpu_ns", result.cpu_ns},
               {"exit_status", result.exit_code}};
  put_if(result.signal != 0, json, "signal", result.signal, "it exited by itself");
  if (!result.reason.empty()) json["source_reason"] = result.reason;
  const auto longest = std::ranges::max_element(
      result.runs, {}, [](const PipelineRun& run) { return run.pipeline.window_ns; });
  put_if(!result.runs.empty(), json, "pipeline",
         result.runs.empty() ? Json() : run_json(*longest, result), kNoPipe);
  json["tree"] = tree_json(result.tree);
  json["pipelines"] =
      list_json(result.runs, [&](const PipelineRun& run) { return run_json(run, result); });
  return {"summary", std::move(json), summary_text(result, columns)};
}

}  // namespace pipetop::tui

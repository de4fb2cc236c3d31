// The result of a command, in the shapes that all formats are made from; and the formats.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tui/draw/style.h"
#include "tui/print/json.h"

namespace pipetop {
struct Check;
struct LadderReport;
struct Limits;
struct Overhead;
class Recording;
struct Rehearsal;
struct ResultComparison;
struct RungChange;
struct Sweep;
}  // namespace pipetop

namespace pipetop::tui {

struct RunResult;
struct TuneReport;

// A column of a table, and the place of its value in the JSON of a row.
struct Column {
  std::string name, pointer;
};
using Columns = std::vector<Column>;

// PREFIX_NAME for each member NAME of the object at `pointer`.
void add_columns(Columns& columns, const std::string& prefix, const std::string& pointer,
                 const std::vector<std::string_view>& names);

struct Document {
  std::string_view type;   // among JSON lines: "interval"
  Json tree;               // all of it
  std::string human = {};  // the human-readable text
  Columns columns = {};    // of the table; none if it is not a table
  std::vector<Json> rows = {};
};

using NamedOverheads = std::vector<std::pair<std::string, Overhead>>;  // by settings

// Describes the measurement that began with `begin`, from `before` to `after`.
Document interval_document(const Snapshot& begin, const Snapshot& before, const Snapshot& after);
Document run_document(const RunResult& result);
Document sweep_document(const Sweep& sweep);
// Its table has the columns of a run, the article's first, and `round`; one row per run, in the
// order of measurement.
Document ladder_document(const LadderReport& report, GlyphSet glyphs);
Document tune_document(const TuneReport& report);
Document limits_document(const HostInfo& host, const Limits& limits);
Document doctor_document(const HostInfo& host, std::span<const Check> checks);
Document overhead_document(const NamedOverheads& found);
// Reads its last frame.
Document recording_document(Recording& recording);
Document rehearsal_document(const Rehearsal& rehearsal);
// Each with the first result.
Document compare_document(std::span<const ResultComparison> comparisons);
Document presets_document(std::span<const Preset> presets);

// A segment has no human-readable text. `start_ns` is when pipetop started: begin_s counts from
// there.
Document segment_document(const Segment& segment, uint64_t start_ns);
Columns segment_columns(const Settings& settings);
// What is left on the terminal after the dashboard: every segment with its rate. Oldest first; of
// very many only the last ones.
std::string summary_text(std::span<const std::shared_ptr<const Segment>> closed,
                         const Segment& last, std::span<const Preset> presets);

// Parts of these documents that are in separate files.
Json run_json(const RunResult& result);
std::string run_text(const RunResult& result);
// Each rung's ratio with its interval.
std::string compare_svg(const ResultComparison& comparison);
std::string outcome_text(const RungChange& change);  // "same within 1.8 %"
// The article's chart: one bar per rung, next to the article's figure.
// Self-contained; follows the viewer's light or dark scheme.
std::string ladder_svg(const LadderReport& report);

// Unknown values are null with a reason beside them in JSON, and empty in CSV. Invalid UTF-8 is
// replaced: names come from the kernel and from files.
std::string json_text(const Document& document);  // indented
std::string json_line(const Document& document);
std::string csv_header(const Columns& columns);
std::string csv_rows(const Document& document);  // without the header
std::string csv_text(const Document& document);

// Stacks in the format of flame-graph tools: one line per distinct stack, from the
// outermost caller to the running function, and its number of samples, sorted.
// `root` is put before every stack: "writer;do_syscall_64;ksys_read 17\n".
std::string folded_text(std::string_view root, const CallTree& tree);

// ---- the output formats; to add one: a row in document.cpp ----

// The results that a format supports: any; any that comes in intervals; those of a run, which are
// tables. Each includes the ones before.
enum class Holds : uint8_t { any_result, intervals, runs };

struct Format {
  std::string_view name;  // as in --format
  Holds holds = Holds::any_result;
  std::string (*print)(const Document&) = nullptr;
  // For each interval during a run; null if intervals are not printed.
  std::string (*print_interval)(const Document&) = nullptr;
};

std::span<const Format> formats();  // the first is the default

const Format& find_format(std::string_view name);  // there must be one

}  // namespace pipetop::tui

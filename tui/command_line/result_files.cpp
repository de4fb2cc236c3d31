#include "tui/command_line/result_files.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "engine/registry/workloads.h"
#include "tui/command_line/output.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

bool wants_csv(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".csv") return true;
  if (ending.empty() || ending == ".jsonl") return false;
  throw Error(fmt::format(
      "--segments: \"{}\" is neither CSV nor JSON lines: give FILE.csv or FILE.jsonl", ending));
}

constexpr const char* kStdout = "-";

// One file can have several names.
std::string place_of(const std::string& path) {
  if (path.empty() || path == kStdout) return path;
  std::error_code error;
  const auto place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : place.string();
}

}  // namespace

SegmentFile::SegmentFile(const std::string& path, const Settings& settings) {
  if (path.empty()) return;
  csv_ = wants_csv(path);
  output_.emplace(path, WriteMode::as_written);
  if (csv_) header_ = csv_header(segment_columns(settings));
}

void SegmentFile::write_closed(const Snapshot& snapshot) {
  start_ns_ = snapshot.now_ns - snapshot.uptime_ns;
  for (const auto& segment : snapshot.throughput.segments)
    if (segment->number > written_) write(*segment);
}

void SegmentFile::write_last(const Segment& segment) {
  if (start_ns_ == 0) start_ns_ = segment.begin_ns;  // it is the first as well
  if (segment.number > written_) write(segment);
}

void SegmentFile::write(const Segment& segment) {
  written_ = segment.number;
  if (!output_ || failure_) return;
  const Document document = segment_document(segment, start_ns_);
  try {
    output_->write(std::exchange(header_, {}) + (csv_ ? csv_rows(document) : json_line(document)));
  } catch (const Error&) {
    failure_ = std::current_exception();
  }
}

void SegmentFile::finish() {
  if (failure_) std::rethrow_exception(failure_);
  if (output_) output_->finish();
}

FoldedFile::FoldedFile(const std::string& path) {
  if (!path.empty()) output_.emplace(path);
}

void FoldedFile::check(const Snapshot& snapshot) const {
  if (!output_) return;
  for (const Role role : roles_of(snapshot.requested))
    if (const WorkerReadings& worker = snapshot.worker(role);
        worker.functions.status == ReadingStatus::unavailable)
      throw Error("--folded: " + worker.functions.reason, Exit::refused);
}

void FoldedFile::write(const Segment& segment) {
  if (!output_) return;
  for (const Role role : roles_of(segment.requested)) {
    const std::string_view name = role_name(segment.requested, role);
    const Reading<FunctionTable>& functions = segment.role(role).functions;
    if (functions.has_value())
      output_->write(folded_text(name, *functions->tree));
    else
      say(fmt::format("--folded: the {}: {}", name, functions.reason));
  }
  output_->finish();
}

std::string save_picture(const std::string& svg) {
  constexpr int kMostAMoment = 100;
  const time_t now = time(nullptr);
  tm local{};
  localtime_r(&now, &local);
  char when[32];
  strftime(when, sizeof when, "%Y%m%d-%H%M%S", &local);
  std::string name = fmt::format("pipetop-{}.svg", when);
  struct stat status;
  for (int i = 2; i < kMostAMoment && lstat(name.c_str(), &status) == 0; ++i)
    name = fmt::format("pipetop-{}-{}.svg", when, i);
  Output(name, WriteMode::as_new).finish(svg);
  return name;
}

void check_distinct(const std::vector<Destination>& all) {
  for (auto later = all.begin(); later != all.end(); ++later)
    for (auto earlier = all.begin(); earlier != later; ++earlier)
      if (!later->path.empty() && place_of(earlier->path) == place_of(later->path))
        throw Error(fmt::format("{} and {} would both go to {}{}", earlier->name, later->name,
                                later->path == kStdout ? "stdout" : later->path, later->remedy));
}

LadderFiles::LadderFiles(const LadderRequest& request) {
  check_distinct({{"--csv", request.csv}, {"--json", request.json}, {"--svg", request.svg}});
  if (!request.csv.empty()) csv_.emplace(request.csv);
  if (!request.json.empty()) json_.emplace(request.json);
  if (!request.svg.empty()) svg_.emplace(request.svg);
  if (request.csv != kStdout && request.json != kStdout && request.svg != kStdout)
    table_.emplace(kStdout);
}

void LadderFiles::write(const LadderReport& report, GlyphSet glyphs, const Interrupts& interrupts) {
  const Document document = ladder_document(report, glyphs);
  const auto finish = [](std::optional<Output>& output, const std::string& text) {
    return [&output, text] {
      if (output) output->finish(text);
    };
  };
  finish_all(interrupts, {finish(csv_, csv_text(document)), finish(json_, json_text(document)),
                          finish(svg_, ladder_svg(report)), finish(table_, document.human)});
}

}  // namespace pipetop::tui

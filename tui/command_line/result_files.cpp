#include "tui/command_line/result_files.h"

#include <fmt/core.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/registry/terms.h"
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

}  // namespace

SegmentFile::SegmentFile(const std::string& path, const Settings& settings) {
  if (path.empty()) return;
  csv_ = wants_csv(path);
  output_.emplace(path, Appears::as_written);
  if (csv_) output_->write(csv_header(segment_columns(settings)));
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
  const Document document = segment_document(segment, start_ns_);
  write(csv_ ? csv_rows(document) : json_line(document));
}

void SegmentFile::write(const std::string& text) {
  if (!output_ || failure_) return;
  try {
    output_->write(text);
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
    if (const WorkerView& worker = snapshot.worker(role);
        worker.functions.status == ReadingStatus::unavailable)
      throw Error("--folded: " + worker.functions.reason, Exit::refused);
}

void FoldedFile::write_role(std::string_view role, const Reading<FunctionTable>& functions) {
  if (functions.has_value())
    output_->write(folded_text(role, *functions->tree));
  else
    say(fmt::format("--folded: the {}: {}", role, functions.reason));
}

void FoldedFile::write(const Segment& segment) {
  if (!output_) return;
  for (const Role role : roles_of(segment.requested))
    write_role(role_name(segment.requested, role), segment.role(role).functions);
  output_->finish();
}

}  // namespace pipetop::tui

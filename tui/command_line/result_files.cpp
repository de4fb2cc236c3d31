#include "tui/command_line/result_files.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "engine/host/host.h"
#include "engine/workload/table/workloads.h"
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

// With a number before the ending if the name of this moment is taken.
std::string free_name(const std::string& ending) {
  constexpr int kMostAMoment = 100;
  const std::time_t now = std::time(nullptr);
  std::string name = name_at(now, ending);
  std::error_code ignored;
  const auto is_taken = [&] {
    return std::filesystem::exists(std::filesystem::symlink_status(name, ignored));
  };
  for (int n = 2; n < kMostAMoment && is_taken(); ++n)
    name = name_at(now, fmt::format("-{}{}", n, ending));
  return name;
}

}  // namespace

void check_distinct(const std::vector<Destination>& all) {
  for (auto later = all.begin(); later != all.end(); ++later)
    for (auto earlier = all.begin(); earlier != later; ++earlier)
      if (!later->path.empty() && place_of(earlier->path) == place_of(later->path))
        throw Error(fmt::format("{} and {} would both go to {}{}", earlier->name, later->name,
                                later->path == kStdout ? "stdout" : later->path, later->remedy));
}

void check_no_input(const std::vector<Destination>& all, const std::vector<std::string>& inputs) {
  for (const Destination& one : all)
    for (const std::string& input : inputs)
      if (!one.path.empty() && one.path != kStdout && place_of(one.path) == place_of(input))
        throw Error(fmt::format("{} {}: it is read, too: give another name", one.name, one.path));
}

std::string name_at(std::time_t unix_s, std::string_view ending) {
  std::tm local{};
  ::localtime_r(&unix_s, &local);
  return fmt::format("pipetop-{:%Y%m%d-%H%M%S}{}", local, ending);
}

SegmentFile::SegmentFile(const std::string& path, const Settings& settings)
    : csv_(!path.empty() && wants_csv(path)), output_(path) {
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
  if (!output_.is_open()) return;
  const Document document = segment_document(segment, start_ns_);
  output_.write(std::exchange(header_, {}) + (csv_ ? csv_rows(document) : json_line(document)));
}

void FoldedFile::check(const Snapshot& snapshot) const {
  if (!output_.is_open()) return;
  for (const Role role : roles_of(snapshot.requested))
    if (const WorkerReadings& worker = snapshot.worker(role);
        worker.functions.status == ReadingStatus::unavailable)
      throw Error("--folded: " + worker.functions.reason, Exit::refused);
}

void FoldedFile::write(const Segment& segment) {
  if (!output_.is_open()) return;
  for (const Role role : roles_of(segment.requested)) {
    const std::string_view name = role_name(segment.requested, role);
    const Reading<FunctionTable>& functions = segment.role(role).functions;
    if (functions.has_value())
      output_.write(folded_text(name, *functions->tree));
    else
      say(fmt::format("--folded: the {}: {}", name, functions.reason));
  }
  output_.finish();
}

RecordingFile::RecordingFile(const Config& config, std::optional<double> roof_gib_per_s,
                             const std::string& path, WriteMode write_mode) {
  header_.frames_per_s = config.frames_per_s;
  header_.presets = config.presets;
  if (roof_gib_per_s) header_.roof_gib_per_s = Reading<double>::of(*roof_gib_per_s);
  if (path.empty()) return;
  begin(path, write_mode);
  if (output_->is_terminal())
    throw Error(fmt::format("--record: {} is a terminal: give a file", path));
}

RecordingFile::~RecordingFile() {
  if (recorder_) (void)succeeds([this] { finish(); });
}

void RecordingFile::begin(const std::string& path, WriteMode write_mode) {
  output_ = std::make_unique<Output>(path, write_mode);
  path_ = path;
  if (header_.host.cpus == 0) header_.host = read_host();  // the dashboard's snapshots name it, too
  header_.unix_s = static_cast<uint64_t>(std::time(nullptr));
  recorder_ = std::make_unique<Recorder>(header_,
                                         [this](std::string_view bytes) { output_->write(bytes); });
}

std::string RecordingFile::toggle() {
  if (recorder_) {
    const std::string why = finish();
    return why.empty() ? "recorded: pipetop replay " + path_ : why;
  }
  begin(free_name(".ptop"), WriteMode::as_new);
  return "recording to " + path_;
}

void RecordingFile::add(const Snapshot& now) {
  if (!recorder_) return;
  try {
    recorder_->add(now);
  } catch (const Error&) {
    recorder_.reset();
    output_.reset();
    throw;
  }
}

void RecordingFile::begin_scene(uint64_t now_ns, uint32_t number, const Scene& scene) {
  if (recorder_) recorder_->begin_scene(now_ns, number, scene);
}

std::string RecordingFile::finish() {
  const auto recorder = std::exchange(recorder_, nullptr);
  if (!recorder) return {};
  recorder->finish();
  const auto output = std::exchange(output_, nullptr);
  if (recorder->bytes() == 0) return path_ + " was not written: there was nothing to record";
  output->finish();
  return {};
}

void RecordingFile::discard() {
  recorder_.reset();
  output_.reset();
}

std::string save_picture(const std::string& svg) {
  std::string name = free_name(".svg");
  Output(name, WriteMode::as_new).finish(svg);
  return name;
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

#include "tui/command_line/recording_file.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <time.h>

#include <filesystem>
#include <utility>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

// As people know it: the local time.
tm local_time(int64_t unix_s) {
  const auto seconds = static_cast<time_t>(unix_s);
  tm local{};
  ::localtime_r(&seconds, &local);
  return local;
}

}  // namespace

std::string recording_name(int64_t unix_s) {
  return fmt::format("pipetop-{:%Y%m%d-%H%M%S}.ptop", local_time(unix_s));
}

RecordingFile::RecordingFile(const Config& config, std::optional<double> roof_gib_per_s,
                             const std::string& path) {
  header_.frames_per_s = config.frames_per_s;
  header_.presets = config.presets;
  if (roof_gib_per_s) header_.roof_gib_per_s = Reading<double>::of(*roof_gib_per_s);
  if (path.empty()) return;
  begin(path, WriteMode::as_written);
  if (output_->is_terminal())
    throw Error(fmt::format("--record: {} is a terminal: give a file", path));
}

RecordingFile::~RecordingFile() {
  if (recorder_) (void)succeeds([this] { finish(); });
}

void RecordingFile::begin(const std::string& path, WriteMode write_mode) {
  output_ = std::make_unique<Output>(path, write_mode);
  path_ = path;
  header_.unix_s = static_cast<uint64_t>(::time(nullptr));
  recorder_ = std::make_unique<Recorder>(header_,
                                         [this](std::string_view bytes) { output_->write(bytes); });
}

std::string RecordingFile::toggle() {
  if (recorder_) {
    finish();
    return "recorded: pipetop replay " + path_;
  }
  std::string path = recording_name(::time(nullptr));
  std::error_code ignored;
  for (int n = 2; std::filesystem::exists(path, ignored) && n < 100; ++n)
    path = fmt::format("{}-{}.ptop", recording_name(::time(nullptr)).substr(0, 23), n);
  begin(path, WriteMode::as_new);
  return "recording to " + path;
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

void RecordingFile::finish() {
  const auto recorder = std::exchange(recorder_, nullptr);
  if (!recorder) return;
  recorder->finish();
  std::exchange(output_, nullptr)->finish();
}

}  // namespace pipetop::tui

// The file that --record names, or that a key begins.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/config/config.h"
#include "engine/config/talk.h"
#include "engine/recording/recorder.h"
#include "engine/recording/recording_header.h"
#include "tui/command_line/output.h"
#include "tui/dashboard/dashboard.h"

namespace pipetop::tui {

class RecordingFile final : public RecordingSink {
 public:
  // `path`: "" for none yet. Throws Error if it cannot be written. An old file is replaced.
  RecordingFile(const Config& config, std::optional<double> roof_gib_per_s,
                const std::string& path);
  ~RecordingFile() override;  // keeps what it can

  bool on() const override { return recorder_ != nullptr; }
  // A new file has a name of its own, with the time, in the working directory.
  std::string toggle() override;
  void add(const Snapshot& now) override;

  void begin_scene(uint64_t now_ns, uint32_t number, const Scene& scene) override;

  // Throws Error if not everything could be written.
  void finish();

 private:
  void begin(const std::string& path, WriteMode write_mode);

  RecordingHeader header_;
  std::string path_;
  std::unique_ptr<Output> output_;
  std::unique_ptr<Recorder> recorder_;
};

// "pipetop-20261122-083000.ptop".
std::string recording_name(int64_t unix_s);

}  // namespace pipetop::tui

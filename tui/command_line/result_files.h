// The files that commands write: --segments, --folded, and --record, those of `pipetop
// ladder`, and pictures of the dashboard.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.h"
#include "engine/config/talk.h"
#include "engine/model/snapshot.h"
#include "engine/recording/recorder.h"
#include "engine/recording/recording_header.h"
#include "tui/command_line/output.h"
#include "tui/flags/command_line.h"
#include "tui/print/results.h"
#include "tui/screen/screen.h"

namespace pipetop::tui {

// One of the results of a command.
struct Destination {
  const char* name;         // "--csv"
  std::string path;         // "" for none, "-" for stdout
  const char* remedy = "";  // ": give ...", if another one goes there, too
};

// Mixed together they would be useless. Throws Error.
void check_distinct(const std::vector<Destination>& all);

// What is read would be lost. Throws Error.
void check_no_input(const std::vector<Destination>& all, const std::vector<std::string>& inputs);

// "pipetop-20261121-093005.svg" for ".svg": the local time, as people know it.
std::string name_at(std::time_t unix_s, std::string_view ending);

// One line for each segment as soon as it is closed. The first one replaces an old file.
class SegmentFile {
 public:
  // "" for none: nothing is written. A name that ends in .csv gets CSV; one that
  // ends in .jsonl or has no extension gets JSON lines. Throws Error. `settings`
  // determine the workload.
  explicit SegmentFile(const std::string& path, const Settings& settings = {});

  bool is_terminal() const { return output_.is_terminal(); }
  bool is_csv() const { return csv_; }

  // Writes the segments closed since the last call, each as a complete line. A
  // failure stops the writing, but not the measurement or the dashboard; finish()
  // reports it.
  void write_closed(const Snapshot& snapshot);
  // The current, unclosed segment.
  void write_last(const Segment& segment);

  // Throws Error if not everything could be written.
  void finish() { output_.finish(); }

 private:
  void write(const Segment& segment);

  bool csv_ = false;
  LateOutput output_;
  std::string header_;  // for the first line
  uint64_t start_ns_ = 0;
  uint32_t written_ = 0;  // the number of the last one
};

// Opened before anything starts, written at the end.
class FoldedFile {
 public:
  // "" for none: nothing is written. Throws Error.
  explicit FoldedFile(const std::string& path) : output_(path, WriteMode::whole) {}

  // Throws Error if there will never be a sample to write.
  void check(const Snapshot& snapshot) const;

  // Reports roles without samples. Throws Error if not everything could be written.
  void write(const Segment& segment);

 private:
  LateOutput output_;
};

// The file that --record names, or that a key begins.
class RecordingFile final : public Tape {
 public:
  // `path`: "" for none yet. Throws Error if it cannot be written. An old file is replaced.
  RecordingFile(const Config& config, std::optional<double> roof_gib_per_s, const std::string& path,
                WriteMode write_mode = WriteMode::as_written);
  ~RecordingFile() override;  // keeps what it can

  bool on() const override { return recorder_ != nullptr; }
  // A new file has a name of its own, with the time, in the working directory.
  std::string toggle() override;
  void add(const Snapshot& now) override;

  void begin_scene(uint64_t now_ns, uint32_t number, const Scene& scene) override;

  // Throws Error if not everything could be written. Where nothing was recorded, an old file stays:
  // returns why, else "".
  std::string finish();
  void discard();
  const std::string& path() const { return path_; }

 private:
  void begin(const std::string& path, WriteMode write_mode);

  RecordingHeader header_;
  std::string path_;
  std::unique_ptr<Output> output_;
  std::unique_ptr<Recorder> recorder_;
};

// To a file in the working directory that has the time in its name. Returns the name. Throws Error.
std::string save_picture(const std::string& svg);

// Files that appear complete, and the table on stdout unless stdout is one of them.
class LadderFiles {
 public:
  // To be called before measuring. Throws Error if a file cannot be written, or two
  // have the same destination.
  explicit LadderFiles(const LadderRequest& request);

  // Throws Error if not everything could be written, as finish_all() does.
  void write(const LadderReport& report, GlyphSet glyphs, const Interrupts& interrupts);

  // Whether the table goes to a terminal.
  bool table_is_seen() const { return table_ && table_->is_terminal(); }

 private:
  std::optional<Output> csv_, json_, svg_, table_;
};

}  // namespace pipetop::tui

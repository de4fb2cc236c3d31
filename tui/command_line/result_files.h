// The files of --segments and --folded, those of `pipetop ladder`, and pictures of the dashboard.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/command_line/output.h"
#include "tui/draw/style.h"
#include "tui/flags/command_line.h"
#include "tui/print/results.h"

namespace pipetop::tui {

// One of the results of a command.
struct Destination {
  const char* name;         // "--csv"
  std::string path;         // "" for none, "-" for stdout
  const char* remedy = "";  // ": give ...", if another one goes there, too
};

// Mixed together they would be useless. Throws Error.
void check_distinct(const std::vector<Destination>& all);

// One line for each segment as soon as it is closed. The first one replaces an old file.
class SegmentFile {
 public:
  // "" for none: nothing is written. A name that ends in .csv gets CSV; one that
  // ends in .jsonl or has no extension gets JSON lines. Throws Error. `settings`
  // determine the workload.
  explicit SegmentFile(const std::string& path, const Settings& settings = {});

  bool is_terminal() const { return output_ && output_->is_terminal(); }
  bool is_csv() const { return output_ && csv_; }

  // Writes the segments closed since the last call, each as a complete line. A
  // failure stops the writing, but not the measurement or the dashboard; finish()
  // reports it.
  void write_closed(const Snapshot& snapshot);
  // The current, unclosed segment.
  void write_last(const Segment& segment);

  // Throws Error if not everything could be written.
  void finish();

 private:
  void write(const Segment& segment);

  std::optional<Output> output_;
  bool csv_ = false;
  std::string header_;  // for the first line
  uint64_t start_ns_ = 0;
  uint32_t written_ = 0;  // the number of the last one
  std::exception_ptr failure_;
};

// Opened before anything starts, written at the end.
class FoldedFile {
 public:
  // "" for none: nothing is written. Throws Error.
  explicit FoldedFile(const std::string& path);

  // Throws Error if there will never be a sample to write.
  void check(const Snapshot& snapshot) const;

  // Reports roles without samples. Throws Error if not everything could be written.
  void write(const Segment& segment);

 private:
  std::optional<Output> output_;
};

// pipetop-20261121-093005.svg in the working directory, or with a number before the ending if that
// is taken. Returns the name. Throws Error.
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

// The files of --segments and --folded.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/snapshot.h"
#include "tui/command_line/output.h"

namespace pipetop::tui {

// One line for each segment as soon as it is closed.
class SegmentFile {
 public:
  // "" for none: nothing is written. A name that ends in .csv gets CSV; one that
  // ends in .jsonl or has no extension gets JSON lines. Throws Error. `settings`
  // determine the workload.
  explicit SegmentFile(const std::string& path, const Settings& settings = {});

  bool is_terminal() const { return output_ && output_->is_terminal(); }

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
  void write(const std::string& text);

  std::optional<Output> output_;
  bool csv_ = false;
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
  void write_role(std::string_view role, const Reading<FunctionTable>& functions);

  std::optional<Output> output_;
};

}  // namespace pipetop::tui

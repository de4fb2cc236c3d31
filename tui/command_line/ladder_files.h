// Where a ladder's results go: files that appear complete, and the table on stdout
// unless stdout is one of them.
#pragma once

#include <optional>

#include "tui/command_line/output.h"
#include "tui/draw/look.h"
#include "tui/flags/command_line.h"
#include "tui/print/ladder_result.h"

namespace pipetop::tui {

class LadderFiles {
 public:
  // To be called before measuring. Throws Error if a file cannot be written, or two
  // have the same destination.
  explicit LadderFiles(const LadderRequest& request);

  // Throws Error if not everything could be written.
  void write(const LadderResult& result, GlyphSet glyphs);

  // Whether the table goes to a terminal.
  bool table_is_seen() const { return table_ && table_->is_terminal(); }

 private:
  std::optional<Output> csv_, json_, svg_, table_;
};

}  // namespace pipetop::tui

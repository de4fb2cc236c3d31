// Where a ladder's results go: files that appear whole, and the table on stdout
// unless stdout is one of them.
#pragma once

#include <optional>

#include "tui/command_line/output.h"
#include "tui/draw/glyphs.h"
#include "tui/flags/command_line.h"
#include "tui/print/ladder_result.h"

namespace pipetop::tui {

class LadderFiles {
 public:
  // Before anything is measured. Throws Error when one cannot be written, or two
  // would go to one place.
  explicit LadderFiles(const LadderRequest& request);

  // Throws Error when not all could be written.
  void write(const LadderResult& result, GlyphSet glyphs);

  // Whether who sits before a terminal reads the table.
  bool table_is_seen() const { return table_ && table_->is_terminal(); }

 private:
  std::optional<Output> csv_, json_, svg_, table_;
};

}  // namespace pipetop::tui

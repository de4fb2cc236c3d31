// What `pipetop ladder` measures, and where its results go.
#pragma once

#include <optional>
#include <string>

#include "engine/config/config.h"
#include "engine/experiment/ladder.h"
#include "tui/command_line/output.h"
#include "tui/draw/look.h"
#include "tui/flags/command_line.h"
#include "tui/print/results.h"

namespace pipetop::tui {

// `config` has the available presets. Throws Error for an unknown or duplicate rung, for
// conflicting knobs, and for flags without effect here.
LadderOptions ladder_options(const CommandLine& line, const Config& config);

// The knob flags as typed: "--pipe_size 1MiB --gift".
std::string knobs_typed(const CommandLine& line);

// Files that appear complete, and the table on stdout unless stdout is one of them.
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

// The scripts for the shells, and what they ask the program for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tui/flags/command_line.h"

namespace pipetop::tui {

struct Candidate {
  std::string word;       // the full word, not just the missing part
  std::string help = {};  // a one-line help, or ""
};

struct Candidates {
  std::vector<Candidate> words;
  // File names with this ending are candidates, too; "" for all. The shell lists them.
  std::optional<std::string> files;
};

// The candidates for a command line: `words` come after the program's name; the last one is being
// typed and may be empty. `directories` are those of named configs.
Candidates candidates(std::span<const std::string> words, const CommandList& list,
                      std::span<const std::string> directories);

// For the scripts: a line "WORD<tab>HELP" each, and ":files ENDING".
std::string print_candidates(const Candidates& candidates);

// Throws Error if there is none for that shell.
std::string completion_script(const std::string& shell);

}  // namespace pipetop::tui

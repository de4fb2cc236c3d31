// What may come next on a command line that is being typed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tui/flags/command_list.h"

namespace pipetop::tui {

struct Candidate {
  std::string word;  // in full, not only what is missing
  std::string help;  // a line about it, or ""
};

struct Candidates {
  std::vector<Candidate> words;
  // File names may come, too: those that end so, "" for all. The shell knows them.
  std::optional<std::string> files;
};

// `words` are those after the program's name; the last is being typed and may be
// empty. `directories` are those of named configs.
Candidates candidates(std::span<const std::string> words, const CommandList& list,
                      std::span<const std::string> directories);

// For the scripts: a line "WORD<tab>HELP" each, and ":files ENDING".
std::string print_candidates(const Candidates& candidates);

}  // namespace pipetop::tui

// The output formats of the manual.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tui/manual/markup.h"

namespace pipetop::tui {

// At most 80 columns wide, except for wider code.
std::string plain_text(std::span<const Block> blocks);

// The fields of a man page's first line.
struct PageHeader {
  std::string_view name;  // "pipetop"
  char section = '1';     // '1' or '5'
  std::string_view date;  // "2026-11-21"
  std::string version;    // "pipetop 0.1.0"
};

// For man(1). Every title becomes a section.
std::string roff(std::span<const Block> blocks, const PageHeader& header);

}  // namespace pipetop::tui

// The manual as a person reads it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tui/manual/markup.h"

namespace pipetop::tui {

// At most 80 columns wide, but for code that is wider.
std::string plain_text(std::span<const Block> blocks);

// What a man page's first line names.
struct PageHeader {
  std::string_view name;  // "pipetop"
  char section = '1';     // '1' or '5'
  std::string_view date;  // "2026-11-21"
  std::string version;    // "pipetop 0.1.0"
};

// For man(1). Every title is a section.
std::string roff(std::span<const Block> blocks, const PageHeader& header);

}  // namespace pipetop::tui

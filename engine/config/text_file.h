// Reading a small text file that somebody else wrote, warily.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pipetop {

// The whole of a regular file. Throws Error when it cannot be read, is a
// directory, a pipe or a device, or is larger than `limit`; never blocks.
std::string read_text_file(const std::string& path, size_t limit);

struct TextFault {
  int line = 0;  // from 0
  int byte = 0;  // of the line, from 0
  std::string words;
};

// The first byte that is no UTF-8 text.
std::optional<TextFault> find_text_fault(std::string_view text);

// Fit for a terminal as one line: control characters replaced, length bounded.
std::string one_line(std::string_view text);

}  // namespace pipetop

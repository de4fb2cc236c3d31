// Reads a small text file from an untrusted source.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pipetop {

// The contents of a regular file. Throws Error if it cannot be read, is a
// directory, a pipe or a device, or is larger than `limit`; never blocks.
std::string read_text_file(const std::string& path, size_t limit);

struct TextFault {
  size_t byte;
  std::string words;
};

// The first byte that is not UTF-8 text.
std::optional<TextFault> find_text_fault(std::string_view text);

}  // namespace pipetop

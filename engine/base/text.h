// Sizes, durations and names as people write them.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/characters.h"

namespace pipetop {

// The number that `text` consists of; nothing if it is anything else, or too large.
template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_all = error == std::errc{} && end == text.data() + text.size();
  return is_all ? std::optional(number) : std::nullopt;
}

// "4096", "256K", "256KiB", "10G", "2.2MiB" (powers of 1024), to the nearest byte. Throws Error.
uint64_t parse_size(std::string_view text);
// The same with parts of bytes, which a rate or a bound may have; nothing if it is no size.
std::optional<double> parse_bytes(std::string_view text);

// "256KiB"; the largest unit that divides evenly, so that it parses back.
std::string format_size(uint64_t bytes);

// "500ms", "5s", "2m", "1h", "250us", "1.5s"; a bare number is seconds. In
// nanoseconds, the nearest. Throws Error.
uint64_t parse_duration_ns(std::string_view text);

// "500ms", "5s": the largest unit that divides evenly.
std::string format_duration(uint64_t ns);

// The candidate that `text` probably stands for, if any is close enough.
std::optional<std::string_view> nearest(std::string_view text,
                                        std::span<const std::string_view> candidates);

// "a, b or c".
std::string join_choices(std::span<const std::string_view> choices);

// The parts of "a,b,,c", the empty one too.
std::vector<std::string> split(std::string_view text, char separator);

// Safe for a terminal, as one line: what is no UTF-8, controls it, is invisible or reorders the
// text around it is replaced, as are marks that pile up on one character; the length is limited.
std::string one_line(std::string_view text);
// The same with the lines that it has, of any length.
std::string printable(std::string_view text);

// A command on one line: its words with blanks between, quoted where a shell needs it. A single one
// is taken for a command line, or a title that a process gave itself.
std::string command_text(std::span<const std::string> words);

}  // namespace pipetop

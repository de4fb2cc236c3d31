// Small text files of /proc and /sys; all but the read functions are pure functions of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipetop {

// At most `limit` bytes of the file; "" if it cannot be read: errno says why, and is 0 otherwise.
std::string read_head(const std::string& path, size_t limit = 65536);

// Of an errno: it is no fault of what was asked for, but of what we lack, such as a descriptor.
// Nothing is known then, and least of all that there is none.
bool is_shortage(int error_number);

// Right after something of /proc has read nothing: throws SystemError if it was for a shortage. The
// words are the same whatever was read: who says them once has said them.
void check_shortage();

// The number at the start of the file; `otherwise` if there is none.
long long read_number(const std::string& path, long long otherwise);

// Without the blanks around it.
std::string first_line(std::string_view text);

// The value of the first "key : value" line, a part of `text`; "" when there is none.
std::string_view keyed_value(std::string_view text, std::string_view key);

// The number that this value begins with, in its own unit; nothing without one.
std::optional<uint64_t> keyed_number(std::string_view text, std::string_view key, int base = 10);

}  // namespace pipetop

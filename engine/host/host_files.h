// Small files of /proc and /sys.
#pragma once

#include <cstddef>
#include <string>

namespace pipetop {

// As much as `limit` bytes of the file; "" when it cannot be read.
std::string read_head(const std::string& path, size_t limit = 65536);

// The number that the file starts with; `otherwise` when there is none.
long long read_number(const std::string& path, long long otherwise);

}  // namespace pipetop

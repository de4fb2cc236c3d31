// Small files of /proc and /sys.
#pragma once

#include <cstddef>
#include <string>

namespace pipetop {

// At most `limit` bytes of the file; "" if it cannot be read.
std::string read_head(const std::string& path, size_t limit = 65536);

// The number at the start of the file; `otherwise` if there is none.
long long read_number(const std::string& path, long long otherwise);

}  // namespace pipetop

// A size in bytes, for sentences.
#pragma once

#include <cstdint>
#include <string>

namespace pipetop {

std::string size_text(uint64_t bytes);  // "64 KiB"

}  // namespace pipetop

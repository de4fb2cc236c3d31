#pragma once

#include <string>

namespace pipetop {

// "0.1.0": set by the CMake project only.
extern const std::string kVersion;

}  // namespace pipetop

#pragma once

#include <string>

namespace pipetop {

// "0.1.0": of the CMake project, which is the only place that says it.
extern const std::string kVersion;

}  // namespace pipetop

// Numbers and names as the words for a change have them.
#pragma once

#include <string>
#include <string_view>

#include "engine/judge/comparison.h"

namespace pipetop {

// Of what it was: what is below that is gone.
inline constexpr double kGone = 0.05;

std::string percent_number(double share);             // "13.5", "0"
std::string count_number(double count);               // "24k", "4.0k", "17", "0.5"
std::string bytes_text(double before, double after);  // "68 → 211 KiB", "64 KiB → 1.1 MiB"

// "writer"
inline std::string_view name_of(const Comparison& c, const RolePair& pair) {
  return c.terms().roles[static_cast<size_t>(pair.role)];
}

}  // namespace pipetop

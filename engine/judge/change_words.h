// A cause in words, with the numbers that show it.
#pragma once

#include <string>
#include <string_view>

#include "engine/judge/comparison.h"

namespace pipetop {

struct Cause {
  std::string words;     // "the reader no longer copies"; "" while it is not known
  std::string evidence;  // "_copy_to_iter 13.5 → 0 %", of the samples of its role; or ""
  std::string function;  // that the evidence is of, or ""
};

Cause words_of_processes(const Comparison& c, int before, int after);
Cause words_of_lending(const Comparison& c);
Cause words_of_work(const Comparison& c, Work work);
Cause words_of_sleep(const Comparison& c);
Cause words_of_function(const Comparison& c, const RolePair& pair, std::string_view function);
Cause words_of_none(const Comparison& c);

// With work that clearly went away, or came, though it is not half of the difference.
Cause with_beside(const Comparison& c, Cause cause);

// ---- numbers and names in these words ----

// A share that is below this part of what it was is gone.
inline constexpr double kGone = 0.05;

std::string percent_number(double share);  // "13.5", "0"
// " [1.03 .. 1.07]" of a ratio; " [?]" if it is hardly known, "" if not at all.
std::string interval_text(double low, double high);
std::string count_number(double count);               // "24k", "4.0k", "17", "0.5"
std::string bytes_text(double before, double after);  // "68 → 211 KiB", "64 KiB → 1.1 MiB"

// "writer"
inline std::string_view name_of(const Comparison& c, const RolePair& pair) {
  return c.terms().roles[static_cast<size_t>(pair.role)];
}

}  // namespace pipetop

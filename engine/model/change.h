// What a change did to the rate, and why, as a value.
#pragma once

#include <string>

namespace pipetop {

// The current segment against the one before it. Rates are means, in the workload's unit.
struct Change {
  double before = 0, after = 0;
  double factor = 0;       // after / before
  double since_start = 0;  // after / the first segment's rate; 0: unknown
  // What explains it: "the reader no longer copies"; "no single cause" if nothing explains half;
  // "" until there are enough samples.
  std::string cause = {};
  std::string evidence = {};  // the numbers that show it: "_copy_to_iter 13.5 → 0 %"; may be ""
  std::string function = {};  // that the evidence is of, "" if it is of none

  // Both, as one line; "" while the cause is not known.
  std::string words() const { return evidence.empty() ? cause : cause + ": " + evidence; }
};

}  // namespace pipetop

// Interleaved pairs: on a machine whose speed drifts, only A and B measured one
// right after the other compare, and only the median of many such ratios counts.
#pragma once

#include <functional>
#include <string>

namespace pipetop::bench {

// Runs (A, B), (B, A), (A, B) ... and prints the median of A / B with its spread
// against the budget. One pair before them is not counted.
void compare(const std::string& name, int pairs, double budget, const std::function<double()>& a,
             const std::function<double()>& b);

// One line of figures.
void report(const std::string& name, const std::string& figures, const std::string& budget);

}  // namespace pipetop::bench

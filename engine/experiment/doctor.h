// What works on this machine, what does not, why, and how to fix it.
#pragma once

#include <string>
#include <vector>

namespace pipetop {

enum class CheckResult { works, limited, missing };

struct Check {
  std::string name;  // "functions (BPF sampler)"
  CheckResult result;
  std::string found;   // "cpu-clock at 999 Hz on 2 CPUs"
  std::string why;     // "" when it works
  std::string remedy;  // "" when there is none
};

// Tries everything for real, on temporary pipes, pages and programs. Takes well
// under a second and leaves nothing behind.
std::vector<Check> diagnose();

}  // namespace pipetop

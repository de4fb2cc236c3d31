// What works on this machine, what does not, why, and the remedy.
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

// Tries each thing for real, on scratch pipes, pages and programs; takes well
// under a second and leaves nothing behind.
std::vector<Check> diagnose();

}  // namespace pipetop

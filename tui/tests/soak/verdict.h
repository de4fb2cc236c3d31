// The criteria of a soak test, and whether they are met.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tui/tests/soak/figures.h"
#include "tui/tests/soak/screen.h"

namespace pipetop::tui {

// What is recorded each time, with two looks at the screen, some seconds apart.
struct Record {
  uint64_t at_ns = 0;
  ProcessFigures main;
  std::vector<ProcessFigures> workers;
  uint64_t bpf_bytes = 0;
  unsigned kills = 0;  // by the test itself, so far
  Shown first, second;
};

std::string text_of(const Record& record);

struct Criterion {
  std::string name, figures;
  bool met = true;
};

// From the records after the warm-up. `ended`: how the program did, if it did.
std::vector<Criterion> judge(const std::vector<Record>& records,
                             const std::optional<std::string>& ended);

}  // namespace pipetop::tui

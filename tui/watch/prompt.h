// A value that the user chooses for a stage before it is set: its nice value, or its CPUs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/watch/pipeline.h"

namespace pipetop::tui {

struct PinChoice {
  std::string text;  // "all CPUs", "CPU 1, as ssh"
  std::vector<int> cpus;
};

struct Prompt {
  enum class Kind : uint8_t { nice, pin } kind = Kind::nice;
  ProcessId stage;
  std::string name;  // "zstd 4002"
  std::string now;   // "0", "CPU 0-1"
  int nice = 0, before = 0;
  std::vector<PinChoice> choices;
  size_t at = 0;  // of the choices

  void step(int by);
  std::string chosen() const;  // as `now`
  std::string text() const;    // what it will be, and the keys
};

Prompt nice_prompt(const Stage& stage);

// All CPUs, then each; a CPU that a stage beside it is pinned to says so. Begins behind what it is.
Prompt pin_prompt(const Pipeline& pipeline, const Stage& stage, std::span<const int> cpus);

}  // namespace pipetop::tui

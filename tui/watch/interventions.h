// Changes of other people's processes: the value that the user chooses for a stage, and what is
// asked before they are made, the first time and whenever one can't be undone, and before the
// screen is left with them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/pipeline.h"
#include "tui/widgets/frame.h"

namespace pipetop::tui {

struct PinChoice {
  std::string text;  // "all CPUs", "CPU 1, as ssh"
  std::vector<int> cpus;
};

// A nice value, or CPUs, while it is chosen.
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

// The name of a process's user; "" if it isn't known.
using UserOf = std::function<std::string(ProcessId)>;

Question resize_question(const Pipe& pipe, std::span<const Stage> stages, bool larger,
                         const UserOf& user_of);
// What was chosen for a stage. `for_good`: its user can't put it back.
Question stage_question(const Prompt& chosen, bool for_good, const UserOf& user_of);
// What becomes of these.
Question leaving_question(std::span<const Intervention> changes);

}  // namespace pipetop::tui

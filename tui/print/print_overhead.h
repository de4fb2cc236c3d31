// What watching costs, as a table or as JSON.
#pragma once

#include <span>
#include <string>

#include "engine/experiment/overhead.h"

namespace pipetop::tui {

struct NamedOverhead {
  std::string name;  // of the settings
  Overhead overhead;
};

std::string print_overhead_human(std::span<const NamedOverhead> found);
std::string print_overhead_json(std::span<const NamedOverhead> found);

}  // namespace pipetop::tui

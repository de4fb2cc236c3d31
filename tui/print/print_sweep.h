// A sweep over the values of a knob: the scaling table, and what explains it.
#pragma once

#include <string>

#include "engine/experiment/sweep.h"

namespace pipetop::tui {

std::string print_sweep_human(const Sweep& sweep);
std::string print_sweep_json(const Sweep& sweep);
std::string print_sweep_csv(const Sweep& sweep);  // a row a run

}  // namespace pipetop::tui

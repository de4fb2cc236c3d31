// A workload's figure as people read it.
#pragma once

#include <string>

#include "engine/model/snapshot.h"

namespace pipetop::tui {

std::string figure_text(FigureKind kind, double value);  // "96.3 %", "412 B", "×1.28"

}  // namespace pipetop::tui

// What limits the rate, in a line.
#pragma once

#include <string>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"

namespace pipetop::tui {

std::string verdict_text(const Verdict& verdict);  // "lock-bound: writer spins ..."

// Whether it can be read to its end on a line; so is its absence.
bool verdict_fits(const Reading<Verdict>& verdict, int cols);

// The reason, dim, while there is no verdict.
void draw_verdict(const Area& area, const Reading<Verdict>& verdict);

}  // namespace pipetop::tui

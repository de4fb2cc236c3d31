// A worker's functions as a block of lines, and two blocks next to each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/snapshot.h"

namespace pipetop::tui {

using Lines = std::vector<std::string>;

// A heading and at most `rows` functions, ASCII, all of one width.
Lines function_column(const WorkerView& worker, size_t rows);

std::string side_by_side(const Lines& left, const Lines& right);

}  // namespace pipetop::tui

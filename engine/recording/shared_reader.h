// Reads the shared values of a block.
#pragma once

#include <string_view>

#include "engine/recording/decoder.h"
#include "engine/recording/shared_values.h"

namespace pipetop::recording {

// Adds to the shared values. Throws Error.
void read_shared(std::string_view raw, const Layout& layout, Budget& budget, SharedValues& shared);

}  // namespace pipetop::recording

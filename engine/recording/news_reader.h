// Reads the news of a block.
#pragma once

#include <string_view>

#include "engine/recording/decoder.h"
#include "engine/recording/shelf.h"

namespace pipetop::recording {

// Adds to the shelf. Throws Error.
void read_news(std::string_view raw, const Layout& layout, Budget& budget, Shelf& shelf);

}  // namespace pipetop::recording

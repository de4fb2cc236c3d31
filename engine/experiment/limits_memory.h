// Memory of which it is certain what it is made of.
#pragma once

#include <cstdint>

#include "engine/memory/buffer.h"

namespace pipetop {

// Throws Error, with what can be done, when there are no such pages.
Buffer map_certain(Pages pages, uint64_t bytes, bool touch);

}  // namespace pipetop

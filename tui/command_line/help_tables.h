// The manual's tables, made from those that the program itself uses.
#pragma once

#include "tui/manual/markup.h"

namespace pipetop::tui {

Tables help_tables();

}  // namespace pipetop::tui

// A made-up ladder with round numbers, for comparing text.
#pragma once

#include "tui/print/results.h"

namespace pipetop::tui {

// write_read, write_read_huge and vmsplice_read in two rounds; the second rung fell.
LadderReport example_ladder();

// The same, stolen from, cut short, changed and with strange names.
LadderReport spoilt_ladder();

}  // namespace pipetop::tui

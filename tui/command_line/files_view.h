// `pipetop view -d PID[:FD]`: how far another process is in its files.
#pragma once

#include "tui/flags/command_line.h"

namespace pipetop::tui {

// Until it ends, or closes the descriptor. Returns the exit status, a ViewStatus.
int view_files(const ViewRequest& request);

}  // namespace pipetop::tui

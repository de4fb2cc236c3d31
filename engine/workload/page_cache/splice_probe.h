// Is splice from a file zero copy here? Asked of the kernel rather than of its version.
#pragma once

#include "engine/host/zero_copy_probe.h"

namespace pipetop {

// Splices a page of the file, which is scratch, into a pipe, changes the page, reads
// the pipe: the changed byte means that the pipe held the cached page itself.
ZeroCopyProbe probe_splice(int scratch_fd);

}  // namespace pipetop

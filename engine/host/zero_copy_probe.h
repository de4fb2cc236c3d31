// Are vmsplice, and splice from a file, zero copy here? Asked of the kernel rather
// than of its version.
#pragma once

#include <string>

#include "engine/model/snapshot.h"

namespace pipetop {

struct ZeroCopyProbe {
  ZeroCopy result = ZeroCopy::unverifiable;
  int vmsplice_errno = 0;  // why vmsplice was refused; 0 if it was not
  std::string reason;      // in words, whatever the result
};

// Lends a page to a scratch pipe, changes the page, reads the pipe: the changed
// byte means that the pipe held the page itself.
ZeroCopyProbe probe_zero_copy();

// The same with splice from a file, which is scratch, or from a memfd.
ZeroCopyProbe probe_file_zero_copy(int scratch_fd);
ZeroCopyProbe probe_file_zero_copy();

}  // namespace pipetop

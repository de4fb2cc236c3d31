// Tests whether vmsplice, and splice from a file, are zero copy on this kernel,
// instead of checking its version.
#pragma once

#include <string>

#include "engine/model/snapshot.h"

namespace pipetop {

struct ZeroCopyProbe {
  ZeroCopy result = ZeroCopy::unverifiable;
  int vmsplice_errno = 0;  // why vmsplice failed; 0 if it did not
  std::string reason;      // in words, whatever the result
};

// Lends a page to a temporary pipe, changes the page, and reads the pipe: if the
// byte has changed, the pipe held the page itself.
ZeroCopyProbe probe_zero_copy();

// The same with splice from a temporary file or a memfd.
ZeroCopyProbe probe_file_zero_copy(int scratch_fd);
ZeroCopyProbe probe_file_zero_copy();

}  // namespace pipetop

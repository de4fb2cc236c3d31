// Where a result is to be written: a name in a directory that is held open, so that nobody can put
// another one in its place.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/base/handles.h"

namespace pipetop::tui {

struct OutputPlace {
  UniqueFd directory;              // O_PATH
  std::string name;                // in it
  std::optional<struct stat> now;  // what has that name
  int inherited = -1;  // the descriptor that the path stands for: /dev/stdout, /dev/fd/63
};

// Follows the links of a path for `writer`, whose rights are in force. Throws Error for what
// somebody else may have put there: what fs.protected_symlinks, protected_regular and
// protected_fifos of the kernel refuse in shared directories, where they are off, too, and for
// files that are replaced, which they don't know. Root follows no link in a directory that others
// can change, and writes to no file of theirs there.
OutputPlace find_output_place(const std::string& path, uid_t writer);

}  // namespace pipetop::tui

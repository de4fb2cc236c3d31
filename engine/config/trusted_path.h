// Whether a file is as its owner left it.
#pragma once

#include <filesystem>
#include <string>

#include "engine/process/privileges.h"

namespace pipetop {

// Who but root and `trusted` could have put something else there, or could change it: "user 1000
// owns /srv", "others may write /srv/a.yaml". Looks at the file, at each directory above it and at
// the links on the way; `path` is absolute. "" if nobody could.
std::string who_else_could_change(const std::filesystem::path& path, const User& trusted);

}  // namespace pipetop

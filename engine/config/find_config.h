// Finding a config file by its name, as in `pipetop -c article`, and whether to trust it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/process/privileges.h"

namespace pipetop {

// Where configs are kept, in order of priority: the user's ($XDG_CONFIG_HOME), the
// machine's ($XDG_CONFIG_DIRS), those installed with the program.
std::vector<std::string> config_directories();

// The path of the file that `name` stands for. With a / it is a path already.
// Otherwise looks in the working directory and in `directories` for that name, then
// for the name with .yaml. As root, a file is ignored that somebody else could have put there:
// anybody but root and the user who called sudo; `say` is told. Throws Error, which lists the
// places and the available names.
std::string find_config(const std::string& name, std::span<const std::string> directories,
                        const std::function<void(const std::string&)>& say = {});

// The paths of the configs in `directories`, by name without .yaml, without those that root
// ignores; for duplicates, the one that find_config() returns.
std::map<std::string, std::string> named_configs(std::span<const std::string> directories);

// Who but root and `trusted` could have put something else there, or could change it: "user 1000
// owns /srv", "others may write /srv/a.yaml". Looks at the file, at each directory above it and at
// the links on the way; `path` is absolute. "" if nobody could.
std::string who_else_could_change(const std::filesystem::path& path, const User& trusted);

}  // namespace pipetop

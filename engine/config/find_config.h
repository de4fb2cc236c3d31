// Finding a config file by its name, as in `pipetop -c article`.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace pipetop {

struct NamedConfig {
  std::string name;  // without .yaml
  std::string path;
};

// Where configs are kept, first come, first served: the person's, the machine's
// ($XDG_CONFIG_HOME, $XDG_CONFIG_DIRS), those that came with the program.
std::vector<std::string> config_directories();

// The path of the file that `name` means. With a / it is a path already. Otherwise
// each of the working directory and `directories` is asked for a file of that name,
// then for one that also ends in .yaml. Throws Error: where it was looked for, and
// which names there are.
std::string find_config(const std::string& name, std::span<const std::string> directories);

// What `directories` hold, by name; of two of one name, the one that is found.
std::vector<NamedConfig> named_configs(std::span<const std::string> directories);

}  // namespace pipetop

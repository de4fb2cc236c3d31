#include "engine/config/find_config.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".yaml";
constexpr int kMostLinks = 40;  // as in the kernel

// "" when it is unset, and if it is relative, which XDG says to ignore.
fs::path directory_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value == '/' ? fs::path(value) : fs::path();
}

void add_users(std::vector<std::string>& directories) {
  fs::path base = directory_in("XDG_CONFIG_HOME");
  if (base.empty() && !directory_in("HOME").empty()) base = directory_in("HOME") / ".config";
  if (!base.empty()) directories.push_back(base / "pipetop");
}

void add_machines(std::vector<std::string>& directories) {
  const char* variable = std::getenv("XDG_CONFIG_DIRS");
  for (const std::string_view one : split(variable && *variable ? variable : "/etc/xdg", ':'))
    if (one.starts_with('/')) directories.push_back(fs::path(one) / "pipetop");
}

// Relative to the program, so that an installed tree can be moved. In a build tree
// they are next to the program.
void add_programs(std::vector<std::string>& directories) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return;
  for (const char* place : {PIPETOP_DATA_FROM_PROGRAM, "share/pipetop"}) {
    const fs::path directory = (program / place).lexically_normal();
    if (fs::is_directory(directory, error)) directories.push_back(directory);
  }
}

// Anything that can be opened as a file; a directory of that name is skipped.
bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

// Whoever controls the directory of the program controls the program, too.
bool comes_with_program(const fs::path& path) {
  std::vector<std::string> programs;
  add_programs(programs);
  return std::ranges::find(programs, path.parent_path().string()) != programs.end();
}

// In a sticky directory nobody can replace what others own, and each name is checked in turn.
std::string distrust(const fs::path& path, const struct stat& status, const User& trusted) {
  if (status.st_uid != 0 && status.st_uid != trusted.uid)
    return fmt::format("user {} owns {}", status.st_uid, path.string());
  if (S_ISLNK(status.st_mode) || (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0))
    return "";
  // A list of access may let anybody write, and shows as the group.
  const bool has_list = ::lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
  const bool group_is_theirs = !has_list && (status.st_gid == 0 || status.st_gid == trusted.gid);
  const mode_t others = group_is_theirs ? S_IWOTH : S_IWOTH | S_IWGRP;
  return (status.st_mode & others) != 0 ? fmt::format("others may write {}", path.string()) : "";
}

std::string why_distrusted(const fs::path& path, const User& trusted, int& links) {
  fs::path walked;
  for (auto part = path.begin(); part != path.end(); ++part) {
    const fs::path directory = walked;
    walked /= *part;
    struct stat status {};
    if (::lstat(walked.c_str(), &status) != 0)
      return fmt::format("{} cannot be checked: {}", walked.string(),
                         std::generic_category().message(errno));
    if (std::string why = distrust(walked, status, trusted); !why.empty()) return why;
    if (!S_ISLNK(status.st_mode)) continue;
    if (++links > kMostLinks) return walked.string() + " has too many links";
    std::error_code error;
    fs::path target = directory / fs::read_symlink(walked, error);  // which may be absolute
    if (error) return fmt::format("{} cannot be read: {}", walked.string(), error.message());
    while (++part != path.end()) target /= *part;
    return why_distrusted(target, trusted, links);
  }
  return "";
}

// "" if it may be read without having been named in full.
std::string why_ignored(const fs::path& path) {
  if (::geteuid() != 0 || comes_with_program(path)) return "";
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? error.message() : who_else_could_change(whole, user_to_become());
}

using Say = std::function<void(const std::string&)>;

std::optional<std::string> find_in(const fs::path& directory, const std::string& name,
                                   const Say& say) {
  for (const std::string& file : {name, name + std::string(kEnding)}) {
    const fs::path path = directory / file;
    if (!is_there(path)) continue;
    const std::string why = why_ignored(path);
    if (why.empty()) return path;
    if (say)
      say(fmt::format("{} is ignored as root, because {}: to read it all the same, give {}",
                      path.string(), why, (directory.empty() ? "./" : "") + path.string()));
  }
  return {};
}

std::string places_of(std::span<const std::string> directories) {
  const std::vector<std::string_view> places(directories.begin(), directories.end());
  return places.empty() ? "here" : "here, in " + join_choices(places);
}

std::string no_such_config(const std::string& name, std::span<const std::string> directories) {
  const auto configs = named_configs(directories);
  std::vector<std::string_view> names;
  for (const auto& [config, path] : configs) names.push_back(config);
  std::string advice = "give a file's path";
  if (!names.empty()) advice = fmt::format("give {}, or a file's path", join_choices(names));
  if (const auto near = nearest(name, names))
    advice = fmt::format("did you mean {}? Available: {}", *near, join_choices(names));
  return fmt::format("there is no config \"{}\" {}: {}", name, places_of(directories), advice);
}

}  // namespace

std::string who_else_could_change(const fs::path& path, const User& trusted) {
  int links = 0;
  return why_distrusted(path, trusted, links);
}

std::vector<std::string> config_directories() {
  std::vector<std::string> directories;
  add_users(directories);
  add_machines(directories);
  add_programs(directories);
  return directories;
}

std::string find_config(const std::string& name, std::span<const std::string> directories,
                        const Say& say) {
  if (name.find('/') != name.npos) return name;
  if (const auto beside = find_in("", name, say)) return *beside;
  for (const std::string& directory : directories)
    if (const auto found = find_in(directory, name, say)) return *found;
  throw Error(no_such_config(name, directories));
}

std::map<std::string, std::string> named_configs(std::span<const std::string> directories) {
  std::map<std::string, std::string> configs;
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
      const fs::path& path = entry.path();
      if (path.extension() == kEnding && is_there(path) && why_ignored(path).empty())
        configs.try_emplace(path.stem(), path);
    }
  }
  return configs;
}

}  // namespace pipetop

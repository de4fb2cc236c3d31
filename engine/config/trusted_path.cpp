#include "engine/config/trusted_path.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <system_error>

namespace pipetop {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as in the kernel

// In a sticky directory nobody can replace what is another's, and each name is looked at in turn.
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

std::string look(const fs::path& path, const User& trusted, int& links) {
  fs::path walked;
  for (auto part = path.begin(); part != path.end(); ++part) {
    const fs::path directory = walked;
    walked /= *part;
    struct stat status {};
    if (::lstat(walked.c_str(), &status) != 0)
      return fmt::format("{} cannot be looked at: {}", walked.string(),
                         std::generic_category().message(errno));
    if (std::string why = distrust(walked, status, trusted); !why.empty()) return why;
    if (!S_ISLNK(status.st_mode)) continue;
    if (++links > kMostLinks) return walked.string() + " has too many links";
    std::error_code error;
    fs::path target = directory / fs::read_symlink(walked, error);  // which may be absolute
    if (error) return fmt::format("{} cannot be read: {}", walked.string(), error.message());
    while (++part != path.end()) target /= *part;
    return look(target, trusted, links);
  }
  return "";
}

}  // namespace

std::string who_else_could_change(const fs::path& path, const User& trusted) {
  int links = 0;
  return look(path, trusted, links);
}

}  // namespace pipetop

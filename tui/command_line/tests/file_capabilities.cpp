#include "tui/command_line/tests/file_capabilities.h"

#include <endian.h>
#include <linux/capability.h>
#include <linux/xattr.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstring>

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

bool is_nosuid(const fs::path& directory) {
  struct statvfs system = {};
  return statvfs(directory.c_str(), &system) != 0 || (system.f_flag & ST_NOSUID) != 0;
}

// Where a file's capabilities count, if there is such a place: /tmp is often a tmpfs
// that is mounted nosuid.
fs::path place() {
  for (const fs::path& directory : {fs::temp_directory_path(), fs::path("/var/tmp")})
    if (!is_nosuid(directory)) return directory;
  return fs::temp_directory_path();
}

}  // namespace

const uint64_t kObserving = 1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SYSLOG;

ProgramCopy::ProgramCopy() : directory_(place()), path_(directory_.file("pipetop")) {
  fs::permissions(fs::path(path_).parent_path(), fs::perms(0755));
  fs::copy_file(PIPETOP_PROGRAM, path_);
  fs::permissions(path_, fs::perms(0755));
}

std::string ProgramCopy::set_capabilities(uint64_t set) const {
  if (is_nosuid(path_)) return "no temporary directory that isn't mounted nosuid";
  vfs_cap_data data = {};
  data.magic_etc = htole32(VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE);
  data.data[0].permitted = htole32(static_cast<uint32_t>(set));
  data.data[1].permitted = htole32(static_cast<uint32_t>(set >> 32));
  if (setxattr(path_.c_str(), XATTR_NAME_CAPS, &data, XATTR_CAPS_SZ_2, 0) == 0) return {};
  return "capabilities of " + path_ + ": " + std::strerror(errno);
}

}  // namespace pipetop::tui

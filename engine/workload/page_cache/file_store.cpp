#include "engine/workload/page_cache/file_store.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/host/host_files.h"
#include "engine/model/settings.h"

namespace pipetop {
namespace {

// The rest is for everything else; with less free memory the kernel begins to reclaim.
constexpr double kMostOfMemory = 0.8;

UniqueFd open_nameless(const std::string& directory) {
  return UniqueFd(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

bool is_memory(int fd) {
  struct statfs system = {};
  if (::fstatfs(fd, &system) != 0) return true;
  return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC;
}

std::string gib_text(uint64_t bytes) { return fmt::format("{:.1f} GiB", double(bytes) / kGiB); }

}  // namespace

std::vector<std::string> temporary_directories() {
  std::vector<std::string> directories;
  const char* chosen = std::getenv("TMPDIR");
  if (chosen != nullptr && *chosen != '\0') directories.emplace_back(chosen);
  directories.emplace_back("/var/tmp");
  directories.emplace_back("/tmp");
  return directories;
}

FileStore::FileStore(std::span<const std::string> directories) {
  for (const std::string& directory : directories) {
    const UniqueFd file = open_nameless(directory);
    if (!file || is_memory(file.get())) continue;
    directory_ = directory;
    return;
  }
}

CachedFile FileStore::make() const {
  if (in_memory()) {
    UniqueFd file(::memfd_create("pipetop-file", MFD_CLOEXEC));
    if (!file) throw SystemError("memfd_create", errno);
    return CachedFile(std::move(file), true);
  }
  UniqueFd file = open_nameless(directory_);
  if (!file) throw SystemError("an unnamed file in " + directory_, errno);
  return CachedFile(std::move(file), false);
}

FileRoom FileStore::room(uint64_t held) const {
  FileRoom room;
  // It includes the page cache of files, but not memfds.
  room.available_memory = 1024 * meminfo_value(read_head("/proc/meminfo"), "MemAvailable");
  if (in_memory()) room.available_memory += held;
  struct statvfs system = {};
  if (!in_memory() && ::statvfs(directory_.c_str(), &system) == 0)
    room.free_disk = system.f_bavail * system.f_frsize;
  return room;
}

std::string why_no_room(uint64_t count, uint64_t bytes, uint64_t held, const FileRoom& room,
                        const std::string& directory) {
  const uint64_t wanted = count * bytes;
  const std::string what =
      fmt::format("{} file{} of {}", count, count == 1 ? "" : "s", format_size(bytes));
  const auto most = static_cast<uint64_t>(kMostOfMemory * double(room.available_memory));
  if (wanted > most)
    return fmt::format(
        "{} must stay in memory: {} needed, {} allowed, {:.0f} % of the available memory; make "
        "file_size smaller",
        what, gib_text(wanted), gib_text(most), 100 * kMostOfMemory);
  if (!directory.empty() && wanted > held && wanted - held > room.free_disk)
    return fmt::format(
        "{} in {}: {} more needed, {} free; make file_size smaller, or set TMPDIR to another "
        "directory",
        what, directory, gib_text(wanted - held), gib_text(room.free_disk));
  return {};
}

}  // namespace pipetop

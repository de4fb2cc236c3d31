// What another process has read or written of its files: `pipetop view -d PID[:FD]`.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/view/progress.h"

namespace pipetop::tui {

struct WatchedDescriptor {
  pid_t pid = 0;
  int fd = -1;  // -1: all regular files and disks of the process
};

// "4711", "4711:3". Throws Error.
WatchedDescriptor parse_watched(std::string_view text);

// Which file it is, whatever its name becomes.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

// One of its files.
struct WatchedFile {
  int fd = -1;
  FileId id;
  std::string path;
  uint64_t at = 0;               // the offset, bytes
  std::optional<uint64_t> size;  // nothing: it is written to, or isn't known
};

// As /proc shows them now; none if the process has ended, or may not be looked at.
std::vector<WatchedFile> files_of(const WatchedDescriptor& watched);

}  // namespace pipetop::tui

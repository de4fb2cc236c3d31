// Where the cached files are created, and how much room there is for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/workload/page_cache/cached_file.h"

namespace pipetop {

// $TMPDIR, /var/tmp, /tmp.
std::vector<std::string> temporary_directories();

struct FileRoom {
  uint64_t available_memory = 0;  // available bytes, including those of the files
  uint64_t free_disk = 0;         // bytes, without it
};

class FileStore {
 public:
  // The first of `directories` on a file system that is not in memory and supports
  // unnamed files; without one, files are memfds.
  explicit FileStore(std::span<const std::string> directories);

  CachedFile make() const;  // empty; throws SystemError
  bool in_memory() const { return directory_.empty(); }
  const std::string& directory() const { return directory_; }

  // `held`: bytes in existing files.
  FileRoom room(uint64_t held) const;

 private:
  std::string directory_;  // "": none
};

// Why `count` files of `bytes` each do not fit, of which `held` bytes exist already; "" if they do.
// `directory` "": in memory.
std::string why_no_room(uint64_t count, uint64_t bytes, uint64_t held, const FileRoom& room,
                        const std::string& directory);

}  // namespace pipetop

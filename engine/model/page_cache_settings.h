// The knobs of clients that read cached files.
#pragma once

#include <cstdint>

namespace pipetop {

enum class Files : uint8_t {
  same,  // all clients read one file
  own,   // each has its own
};

// For clients that splice a cached file into a pipe, and on to /dev/null.
struct PageCacheSettings {
  uint32_t clients = 1;
  Files files = Files::same;
  uint64_t file_size = 1ull << 30;  // bytes
  uint64_t chunk_size = 64 * 1024;  // bytes put into the pipe before it is drained
  uint32_t gang_size = 16;          // pages requested per call, and looked up together

  bool operator==(const PageCacheSettings&) const = default;
};

}  // namespace pipetop
